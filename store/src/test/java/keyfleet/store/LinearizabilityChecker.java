package keyfleet.store;

import static org.junit.jupiter.api.Assertions.fail;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/// Checks whether a history of a register is linearizable: whether there is an order in which each
/// call takes effect at one moment between its beginning and its answer. The search is Wing and
/// Gong's (1993), with Lowe's cache (2017) of visited states: the set of calls done, and the
/// register after them.
final class LinearizabilityChecker {
  /// The set of calls done is a bit set in a `long`.
  static final int MAX_OPERATIONS = 64;

  private record Visit(long done, int state) {}

  private final List<RegisterOperation> operations;
  private final long mustBeDone;
  private final Set<Visit> visited = new HashSet<>();

  private LinearizabilityChecker(List<RegisterOperation> operations) {
    this.operations = operations;
    long answered = 0;
    for (int i = 0; i < operations.size(); i++) {
      answered |= operations.get(i).isAnswered() ? bit(i) : 0;
    }
    this.mustBeDone = answered;
  }

  static boolean isLinearizable(List<RegisterOperation> history) {
    if (history.size() > MAX_OPERATIONS) {
      throw new IllegalArgumentException(
          "at most " + MAX_OPERATIONS + " operations can be searched, not " + history.size());
    }
    List<RegisterOperation> byBeginning =
        history.stream().sorted(Comparator.comparingLong(RegisterOperation::invoked)).toList();
    return new LinearizabilityChecker(byBeginning).canOrderRest(0, RegisterOperation.ABSENT);
  }

  static void check(RegisterHistory history) {
    List<RegisterOperation> operations = history.operations();
    if (!isLinearizable(operations)) {
      fail("this history is not linearizable:" + System.lineSeparator() + describe(operations));
    }
  }

  /// Whether the calls left after `done` can be ordered from `state` on.
  private boolean canOrderRest(long done, int state) {
    if ((done & mustBeDone) == mustBeDone) {
      return true;
    }
    if (!visited.add(new Visit(done, state))) {
      return false;
    }
    long firstAnswer = firstAnswer(done);
    for (int i = 0; i < operations.size(); i++) {
      // A call that began after another was answered cannot come before it.
      boolean mayBeNext = (done & bit(i)) == 0 && operations.get(i).invoked() < firstAnswer;
      if (mayBeNext && canOrderRestAfter(i, done, state)) {
        return true;
      }
    }
    return false;
  }

  private boolean canOrderRestAfter(int next, long done, int state) {
    OptionalInt after = operations.get(next).effect().applyTo(state);
    return after.isPresent() && canOrderRest(done | bit(next), after.getAsInt());
  }

  private long firstAnswer(long done) {
    long first = RegisterOperation.NEVER;
    for (int i = 0; i < operations.size(); i++) {
      if ((done & bit(i)) == 0) {
        first = Math.min(first, operations.get(i).returned());
      }
    }
    return first;
  }

  private static long bit(int index) {
    return 1L << index;
  }

  private static String describe(List<RegisterOperation> operations) {
    return operations.stream()
        .sorted(Comparator.comparingLong(RegisterOperation::invoked))
        .map(RegisterOperation::toString)
        .collect(Collectors.joining(System.lineSeparator()));
  }
}
