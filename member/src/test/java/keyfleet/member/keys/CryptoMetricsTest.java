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
  void whatNeverHappened_hasNoLine() {
    assertEquals(Map.of(), cryptoMetrics.counts());
  }

  @Test
  void linesAreInOrder_andCountApart() {
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

  /// Whoever can write a record can write any number into it.
  @Test
  void versionsThatAreNotHeld_shareALine() {
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

  private void takes(Operation operation, long nanos) {
    long began = timed.startTime();
    now.addAndGet(nanos);
    timed.onFinished(operation, v(1), Outcome.OK, began);
  }

  private LatencyHistogram took(Operation operation) {
    return Optional.ofNullable(timed.durations().get(operation)).orElseThrow();
  }

  private static Map<Integer, Long> filled(LatencyHistogram latencyHistogram) {
    Map<Integer, Long> filled = new HashMap<>();
    for (int i = 0; i < latencyHistogram.counts().size(); i++) {
      if (latencyHistogram.counts().get(i) != 0) {
        filled.put(i, latencyHistogram.counts().get(i));
      }
    }
    return filled;
  }

  @Test
  void durations_countUpToTheirBoundAndApart() {
    takes(Operation.SEAL, 0);
    takes(Operation.SEAL, 10_000);
    takes(Operation.SEAL, 10_001);
    takes(Operation.SEAL, 2_000_000_000L);
    takes(Operation.SEAL, 2_000_000_001L);
    takes(Operation.OPEN, 3_000_000);
    int last = CryptoMetrics.BUCKET_BOUNDS.size();
    LatencyHistogram sealed = took(Operation.SEAL);
    assertEquals(last + 1, sealed.counts().size());
    assertEquals(Map.of(0, 2L, 1, 1L, last - 1, 1L, last, 1L), filled(sealed));
    assertEquals(Duration.ofNanos(4_000_020_002L), sealed.sum());
    assertEquals(Map.of(7, 1L), filled(took(Operation.OPEN)));
  }

  @Test
  void clockThatGoesBack_makesNoNegativeDuration() {
    takes(Operation.OPEN, -7);
    assertEquals(Duration.ZERO, took(Operation.OPEN).sum());
  }

  @Test
  void tallyWithoutAClock_hasNoDurations() {
    cryptoMetrics.onFinished(Operation.SEAL, v(1), Outcome.OK, cryptoMetrics.startTime());
    assertEquals(Map.of(), cryptoMetrics.durations());
  }
}
