package keyfleet.member;

import java.util.Collections;
import java.util.Comparator;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.Witness;
import org.jspecify.annotations.Nullable;

/// How many values this process has sealed, opened and moved since it started, and with what
/// outcome. For any number of threads.
public final class Tally implements Witness {
  /// What is counted apart from everything else.
  ///
  /// @param version nothing for one that is not held: an altered record may say any number, and
  ///   would else grow the tally for ever
  public record Line(Operation operation, @Nullable KekVersion version, Outcome outcome)
      implements Comparable<Line> {
    private static final Comparator<Line> ORDER =
        Comparator.comparing(Line::operation)
            .thenComparingInt(Line::number)
            .thenComparing(Line::outcome);

    private int number() {
      return version == null ? 0 : version.number();
    }

    @Override
    public int compareTo(Line other) {
      return ORDER.compare(this, other);
    }
  }

  private final Map<Line, LongAdder> counts = new ConcurrentHashMap<>();

  @Override
  public void saw(Operation operation, KekVersion version, Outcome outcome) {
    KekVersion held = outcome == Outcome.NO_SUCH_VERSION ? null : version;
    counts.computeIfAbsent(new Line(operation, held, outcome), _ -> new LongAdder()).increment();
  }

  /// As of now. What never happened has no line.
  public SortedMap<Line, Long> counts() {
    SortedMap<Line, Long> now = new TreeMap<>();
    counts.forEach((line, count) -> now.put(line, count.sum()));
    return Collections.unmodifiableSortedMap(now);
  }
}
