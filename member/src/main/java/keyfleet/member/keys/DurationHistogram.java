package keyfleet.member.keys;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/// Counts durations in buckets. Safe for any number of threads.
final class DurationHistogram {
  /// A key in memory takes microseconds, a device milliseconds, and a device that does not answer
  /// seconds.
  static final List<Duration> BUCKET_BOUNDS =
      Stream.of(10, 20, 50, 100, 200, 500, 1_000, 5_000, 20_000, 100_000, 500_000, 2_000_000)
          .map(it -> Duration.ofNanos(it * 1_000L))
          .toList();

  private static final long[] NANOS = BUCKET_BOUNDS.stream().mapToLong(Duration::toNanos).toArray();

  private final LongAdder[] counts = adders();
  private final LongAdder sum = new LongAdder();

  /// If the clock went back, the duration counts as zero.
  void add(long nanos) {
    long took = Math.max(0, nanos);
    int at = Arrays.binarySearch(NANOS, took);
    counts[at < 0 ? -at - 1 : at].increment();
    sum.add(took);
  }

  /// The count of each bucket. The last bucket is for durations above all bounds.
  List<Long> counts() {
    return Stream.of(counts).map(LongAdder::sum).toList();
  }

  Duration sum() {
    return Duration.ofNanos(sum.sum());
  }

  private static LongAdder[] adders() {
    return Stream.generate(LongAdder::new)
        .limit(BUCKET_BOUNDS.size() + 1)
        .toArray(LongAdder[]::new);
  }
}
