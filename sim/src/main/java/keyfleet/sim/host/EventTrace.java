package keyfleet.sim.host;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// Records what happens in a run, as text for people. Most runs pass, so the text is made only if
/// the trace keeps it.
public interface EventTrace {
  EventTrace NONE = (_, _, _) -> {};

  void note(long time, String source, Supplier<String> what);

  /// Keeps the last [#MAX_LINES] lines.
  final class LastLines implements EventTrace {
    private static final int MAX_LINES = 400;

    private final List<String> lines = new ArrayList<>();

    @Override
    public void note(long time, String source, Supplier<String> what) {
      if (lines.size() == MAX_LINES) {
        lines.removeFirst();
      }
      lines.add(
          "%9.3fs %-10s %s"
              .formatted(time / (double) VirtualTimeScheduler.SECOND, source, what.get()));
    }

    public List<String> lines() {
      return List.copyOf(lines);
    }
  }
}
