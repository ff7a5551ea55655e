package keyfleet.member.keys;

import static keyfleet.member.MemberFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import keyfleet.crypto.CryptoListener.Operation;
import keyfleet.crypto.CryptoListener.Outcome;
import keyfleet.member.keys.CryptoMetrics.LatencyHistogram;
import keyfleet.member.keys.CryptoMetrics.Series;
import org.junit.jupiter.api.Test;

class CryptoMetricsTest {
  private final CryptoMetrics cryptoMetrics = new CryptoMetrics();

  @Test
  void whatNeverHappened_hasNoSeries() {
    assertEquals(Map.of(), cryptoMetrics.counts());
  }

  @Test
  void series_areOrderedAndCountedSeparately() {
    cryptoMetrics.onFinished(Operation.OPEN, v(2), Outcome.OK, 0);
    cryptoMetrics.onFinished(Operation.OPEN, v(1), Outcome.REFUSED, 0);
    cryptoMetrics.onFinished(Operation.OPEN, v(1), Outcome.OK, 0);
    cryptoMetrics.onFinished(Operation.SEAL, v(2), Outcome.OK, 0);
    assertEquals(
        List.of(
            new Series(Operation.SEAL, v(2), Outcome.OK),
            new Series(Operation.OPEN, v(1), Outcome.OK),
            new Series(Operation.OPEN, v(1), Outcome.REFUSED),
            new Series(Operation.OPEN, v(2), Outcome.OK)),
        List.copyOf(cryptoMetrics.counts().keySet()));
  }

  /// An attacker who can write a record can write any version number into it.
  @Test
  void versionsThatAreNotLoaded_shareOneSeries() {
    IntStream.rangeClosed(1, 1_000)
        .forEach(it -> cryptoMetrics.onFinished(Operation.OPEN, v(it), Outcome.NO_SUCH_VERSION, 0));
    assertEquals(
        Map.of(new Series(Operation.OPEN, null, Outcome.NO_SUCH_VERSION), 1_000L),
        cryptoMetrics.counts());
  }

  @Test
  void manyThreads_loseNoCount() {
    IntStream.range(0, 10_000)
        .parallel()
        .forEach(_ -> cryptoMetrics.onFinished(Operation.SEAL, v(1), Outcome.OK, 0));
    assertEquals(List.of(10_000L), List.copyOf(cryptoMetrics.counts().values()));
  }

  private final AtomicLong now = new AtomicLong(5);
  private final CryptoMetrics timed = new CryptoMetrics(now::get);

  private void recordDuration(Operation operation, long nanos) {
    long startNanos = timed.startTime();
    now.addAndGet(nanos);
    timed.onFinished(operation, v(1), Outcome.OK, startNanos);
  }

  private LatencyHistogram histogram(Operation operation) {
    return Optional.ofNullable(timed.durations().get(operation)).orElseThrow();
  }

  private static Map<Integer, Long> nonZeroCounts(LatencyHistogram histogram) {
    Map<Integer, Long> counts = new HashMap<>();
    for (int i = 0; i < histogram.counts().size(); i++) {
      if (histogram.counts().get(i) != 0) {
        counts.put(i, histogram.counts().get(i));
      }
    }
    return counts;
  }

  @Test
  void durations_areCountedInBucketsByOperation() {
    recordDuration(Operation.SEAL, 0);
    recordDuration(Operation.SEAL, 10_000);
    recordDuration(Operation.SEAL, 10_001);
    recordDuration(Operation.SEAL, 2_000_000_000L);
    recordDuration(Operation.SEAL, 2_000_000_001L);
    recordDuration(Operation.OPEN, 3_000_000);
    int last = CryptoMetrics.BUCKET_BOUNDS.size();
    LatencyHistogram sealed = histogram(Operation.SEAL);
    assertEquals(last + 1, sealed.counts().size());
    assertEquals(Map.of(0, 2L, 1, 1L, last - 1, 1L, last, 1L), nonZeroCounts(sealed));
    assertEquals(Duration.ofNanos(4_000_020_002L), sealed.sum());
    assertEquals(Map.of(7, 1L), nonZeroCounts(histogram(Operation.OPEN)));
  }

  @Test
  void clockSetBack_countsAsZero() {
    recordDuration(Operation.OPEN, -7);
    assertEquals(Duration.ZERO, histogram(Operation.OPEN).sum());
  }

  @Test
  void metricsWithoutAClock_haveNoDurations() {
    cryptoMetrics.onFinished(Operation.SEAL, v(1), Outcome.OK, cryptoMetrics.startTime());
    assertEquals(Map.of(), cryptoMetrics.durations());
  }
}
