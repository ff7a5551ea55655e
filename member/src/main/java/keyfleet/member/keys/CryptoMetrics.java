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

/// Counts the values that this process has sealed, opened and rewrapped since it started, by
/// outcome, and measures how long that took if it has a clock. Safe for any number of threads.
public final class CryptoMetrics implements CryptoListener {
  /// The labels of one counter.
  ///
  /// @param version null for a version that is not loaded: an altered record may name any number,
  ///   which would add counters without end
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

  /// How long one operation took, for every outcome.
  ///
  /// @param counts how many durations fall into each bucket of [#BUCKET_BOUNDS]; the last count is
  ///   for those above all bounds
  public record LatencyHistogram(List<Long> counts, Duration sum) {}

  public static final List<Duration> BUCKET_BOUNDS = DurationHistogram.BUCKET_BOUNDS;

  private final Map<Series, LongAdder> counts = new ConcurrentHashMap<>();
  private final Map<Operation, DurationHistogram> durationHistograms = new ConcurrentHashMap<>();
  private final @Nullable LongSupplier clock;

  /// Counts without measuring durations.
  public CryptoMetrics() {
    this.clock = null;
  }

  public CryptoMetrics(LongSupplier clock) {
    this.clock = clock;
  }

  @Override
  public long startTime() {
    return clock == null ? 0 : clock.getAsLong();
  }

  @Override
  public void onFinished(Operation operation, KekVersion version, Outcome outcome, long startTime) {
    KekVersion loaded = outcome == Outcome.NO_SUCH_VERSION ? null : version;
    counts
        .computeIfAbsent(new Series(operation, loaded, outcome), _ -> new LongAdder())
        .increment();
    if (clock != null) {
      long duration = clock.getAsLong() - startTime;
      durationHistograms.computeIfAbsent(operation, _ -> new DurationHistogram()).add(duration);
    }
  }

  /// A snapshot of the counters. A combination that never happened has no entry.
  public SortedMap<Series, Long> counts() {
    SortedMap<Series, Long> now = new TreeMap<>();
    counts.forEach((series, count) -> now.put(series, count.sum()));
    return Collections.unmodifiableSortedMap(now);
  }

  /// A snapshot of the durations. Operations that never happened have no entry; without a clock the
  /// map is empty.
  public SortedMap<Operation, LatencyHistogram> durations() {
    SortedMap<Operation, LatencyHistogram> now = new TreeMap<>();
    durationHistograms.forEach(
        (operation, it) -> now.put(operation, new LatencyHistogram(it.counts(), it.sum())));
    return Collections.unmodifiableSortedMap(now);
  }
}
