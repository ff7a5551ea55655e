package keyfleet.sim.explore;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// Visits every reachable state, breadth first, so that the first violation has the shortest
/// history.
public final class Explorer<S extends Explorer.State<S>> {
  /// A state that knows its next steps and its invariants. Two equal states have the same futures.
  public interface State<S> {
    List<Step<S>> steps();

    /// The invariant that this state violates, if any.
    Optional<String> violation();
  }

  /// A step and the state after it. The description is made only if the step is part of a reported
  /// history.
  public record Step<S>(Supplier<String> description, S next) {}

  public sealed interface Outcome {}

  /// All of `states` states keep all invariants.
  public record Holds(int states) implements Outcome {}

  /// The shortest history that violates an invariant.
  public record Violated(String invariant, List<String> history, int states) implements Outcome {}

  /// There are more states than the limit: nothing is proved.
  public record TooMany(int states) implements Outcome {}

  private record Predecessor<S>(S from, Supplier<String> description) {}

  private final int limit;

  public Explorer(int limit) {
    this.limit = limit;
  }

  public Outcome explore(S start) {
    Map<S, Optional<Predecessor<S>>> seen = new HashMap<>();
    Deque<S> frontier = new ArrayDeque<>();
    seen.put(start, Optional.empty());
    frontier.add(start);
    while (!frontier.isEmpty()) {
      S state = frontier.remove();
      Optional<String> violation = state.violation();
      if (violation.isPresent()) {
        return new Violated(violation.get(), history(seen, state), seen.size());
      }
      for (Step<S> step : state.steps()) {
        if (seen.putIfAbsent(step.next(), Optional.of(new Predecessor<>(state, step.description())))
            == null) {
          frontier.add(step.next());
        }
      }
      if (seen.size() > limit) {
        return new TooMany(seen.size());
      }
    }
    return new Holds(seen.size());
  }

  private List<String> history(Map<S, Optional<Predecessor<S>>> seen, S end) {
    List<String> history = new ArrayList<>();
    Optional<Predecessor<S>> predecessor = seen.getOrDefault(end, Optional.empty());
    while (predecessor.isPresent()) {
      history.addFirst(predecessor.get().description().get());
      predecessor = seen.getOrDefault(predecessor.get().from(), Optional.empty());
    }
    return history;
  }
}
