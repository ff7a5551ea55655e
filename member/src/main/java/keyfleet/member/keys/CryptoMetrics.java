package keyfleet.member.keys;

import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import keyfleet.crypto.CryptoListener;
import keyfleet.crypto.KekVersion;
import org.jspecify.annotations.Nullable;

/// How many values this process has sealed, opened and moved since it started, and with what
/// outcome; and how long that took, if it was given a clock. For any number of threads.
public final class CryptoMetrics implements CryptoListener {
  /// What is counted apart from everything else.
  ///
  /// @param version nothing for one that is not held: an altered record may say any number, and
  ///   would else grow the tally for ever
  public record Series(Operation operation, @Nullable KekVersion version, Outcome outcome)
      implements Comparable<Series> {
    private static final Comparator<Series> ORDER =
        Comparator.comparing(Series::operation)
            .thenComparingInt(Series::number)
            .thenComparing(Series::outcome);

    private int number() {
      return version == null ? 0 : version.number();
    }

    @Override
    public int compareTo(Series other) {
      return ORDER.compare(this, other);
    }
  }

  /// How long the values of one operation took, whatever came of them.
  ///
  /// @param counts how many took no longer than each of [#BUCKET_BOUNDS] and longer than the one
  ///   before, and at the end how many took longer than all
  public record LatencyHistogram(List<Long> counts, Duration sum) {}

  public static final List<Duration> BUCKET_BOUNDS = DurationHistogram.BUCKET_BOUNDS;

  private final Map<Series, LongAdder> counts = new ConcurrentHashMap<>();
  private final Map<Operation, DurationHistogram> durationHistogram = new ConcurrentHashMap<>();
  private final @Nullable LongSupplier nanos;

  /// Counts alone.
  public CryptoMetrics() {
    this.nanos = null;
  }

  public CryptoMetrics(LongSupplier nanos) {
    this.nanos = nanos;
  }

  @Override
  public long startTime() {
    return nanos == null ? 0 : nanos.getAsLong();
  }

  @Override
  public void onFinished(Operation operation, KekVersion version, Outcome outcome, long began) {
    KekVersion held = outcome == Outcome.NO_SUCH_VERSION ? null : version;
    counts.computeIfAbsent(new Series(operation, held, outcome), _ -> new LongAdder()).increment();
    if (nanos != null) {
      long took = nanos.getAsLong() - began;
      durationHistogram.computeIfAbsent(operation, _ -> new DurationHistogram()).add(took);
    }
  }

  /// As of now. What never happened has no line.
  public SortedMap<Series, Long> counts() {
    SortedMap<Series, Long> now = new TreeMap<>();
    counts.forEach((series, count) -> now.put(series, count.sum()));
    return Collections.unmodifiableSortedMap(now);
  }

  /// As of now. What never happened is not among them, and without a clock nothing is.
  public SortedMap<Operation, LatencyHistogram> durations() {
    SortedMap<Operation, LatencyHistogram> now = new TreeMap<>();
    durationHistogram.forEach(
        (operation, it) -> now.put(operation, new LatencyHistogram(it.counts(), it.sum())));
    return Collections.unmodifiableSortedMap(now);
  }
}
