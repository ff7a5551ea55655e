package keyfleet.kms.localkek;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import keyfleet.kms.localkek.LocalKekLimits.Lifetime;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// When a local KEK is due for replacement and when it may no longer seal.
final class LocalKekLimitsTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0, FRESH",
    "99, 99, FRESH",
    "100, 0, DUE",
    "0, 100, DUE",
    "199, 199, DUE",
    "200, 0, EXHAUSTED",
    "0, 200, EXHAUSTED",
    "100, 200, EXHAUSTED"
  })
  void usesAndAge_determineTheLifetime(long uses, long seconds, Lifetime lifetime) {
    LocalKekLimits limits = new LocalKekLimits(100, 200, Duration.ofSeconds(100), 1);
    assertEquals(lifetime, limits.lifetime(uses, Duration.ofSeconds(seconds)));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1, 7, 1",
    "2, 1, 7, 1",
    "1, 4194304, 7, 1",
    "1, 1, 0, 1",
    "1, 1, 366, 1",
    "1, 1, 7, 0"
  })
  void invalidLimits_areRefused(long soft, long hard, long days, int cached) {
    assertThrows(
        IllegalArgumentException.class,
        () -> new LocalKekLimits(soft, hard, Duration.ofDays(days), cached));
  }
}
