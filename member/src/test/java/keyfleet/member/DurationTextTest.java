package keyfleet.member;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {
  @ParameterizedTest
  @CsvSource({
    "500ms, PT0.5S, 500ms",
    "2s, PT2S, 2s",
    "90s, PT90S, 90s",
    "60s, PT1M, 1m",
    "10m, PT10M, 10m",
    "36h, PT36H, 36h",
    "30d, PT720H, 30d",
    "0s, PT0S, 0s",
    "0d, PT0S, 0s",
    "1500ms, PT1.5S, 1500ms",
    "36500d, PT876000H, 36500d"
  })
  void duration_isParsedAndFormatted(String text, Duration duration, String shown) {
    assertEquals(Optional.of(duration), DurationText.parse(text));
    assertEquals(shown, DurationText.format(duration));
    assertEquals(Optional.of(duration), DurationText.parse(shown));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "s",
        "2",
        "-2s",
        "+2s",
        "2 s",
        " 2s",
        "2S",
        "2.5s",
        "2us",
        "2min",
        "1m30s",
        "٢s",
        "36501d",
        "9999999999999d",
        "99999999999999s",
        "2s\n"
      })
  void otherText_isNotADuration(String text) {
    assertEquals(Optional.empty(), DurationText.parse(text));
  }
}
