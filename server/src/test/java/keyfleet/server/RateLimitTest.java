package keyfleet.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateLimitTest {
  @ParameterizedTest
  @CsvSource({"0, 200, 0", "200, 200, 1000", "400, 200, 500", "10, 10, 1000", "500, 0, 0"})
  void rate_isKeptByPauses(int perSecond, long rewrapped, long millis) {
    assertEquals(Duration.ofMillis(millis), new RateLimit(perSecond).pauseAfter(rewrapped));
  }

  @Test
  void batch_isAtMostOneSecondOfRecords() {
    assertEquals(10, new RateLimit(10).batchSize());
    assertEquals(Integer.MAX_VALUE, RateLimit.UNLIMITED.batchSize());
  }

  @Test
  void negativeRate_isRefused() {
    assertThrows(IllegalArgumentException.class, () -> new RateLimit(-1));
  }
}
