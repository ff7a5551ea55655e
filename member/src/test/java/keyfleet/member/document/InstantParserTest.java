package keyfleet.member.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class InstantParserTest {
  @Test
  void textOfAnInstant_isParsedBack() {
    Random random = new Random(17);
    int[] units = {1, 1_000, 1_000_000, 1_000_000_000};
    for (int i = 0; i < 10_000; i++) {
      int unit = units[i % units.length];
      Instant some =
          Instant.ofEpochSecond(
              random.nextLong(-100_000_000_000L, 500_000_000_000L),
              random.nextInt(1_000_000_000) / unit * (long) unit);
      assertEquals(some, InstantParser.parse(some.toString()));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Z",
        "2026-11-17T10:15:30",
        "2026-11-17T10:15:30.Z.",
        "2026-02-30T10:15:30Z",
        "2026-11-17T10:61:30Z",
        "2026-11-17 10:15:30Z",
        "2026-11-17T10:15:30.1234567890Z",
        "2026-11-17T10:15:30.12x4Z",
        "2026-11-17T10:15:-1Z",
        "+026-11-17T10:15:30Z"
      })
  void otherText_isRefusedWithItsValue(String text) {
    var e = assertThrows(IllegalArgumentException.class, () -> InstantParser.parse(text));
    assertEquals("not a date: " + text, e.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"2026-11-17T10:15:30.5Z", "2026-11-17T24:00:00Z", "2026-11-17T10:15:30+01:00"})
  void formsThatTheJdkReads_areReadTheSame(String text) {
    assertEquals(Instant.parse(text), InstantParser.parse(text));
  }
}
