package keyfleet.crypto;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StrictUtf8Test {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a",
        "\u007f",
        "\u0080",
        "\u07ff",
        "\u0800",
        "\uffff",
        "aé€",
        "😀",
        "a😀€",
        "\ud83d",
        "a\ude00",
        "\ude00\ud83d"
      })
  void length_isThatOfTheBytes(String text) {
    int bytes = StrictUtf8.encode(text).map(it -> it.length).orElse(-1);
    assertEquals(bytes, StrictUtf8.encodedLength(text));
  }
}
