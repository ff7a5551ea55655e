package keyfleet.providers.vault;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import keyfleet.crypto.SecretBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonResponseTest {
  private static final String SAMPLE =
      """
      {"data": {"keys": {"1": 17, "2": 18}, "name": "kf", "plaintext": "AQID", "derived": true,
       "none": null, "deep": [[{"x": "y"}], -1.5e3]}, "errors": ["a \\"b\\" c", "d"], "": {} , "e": []}
      """;

  private static JsonResponse of(String text) {
    return JsonResponse.of(text.getBytes(UTF_8));
  }

  @Test
  void values_areFoundByTheirPaths() {
    JsonResponse answer = of(SAMPLE);
    assertEquals(Optional.of("kf"), answer.text("data.name"));
    assertEquals(OptionalLong.of(18), answer.number("data.keys.2"));
    assertEquals(Set.of("1", "2"), answer.memberNames("data.keys"));
    assertTrue(answer.isTrue("data.derived"));
    assertEquals(Optional.of("y"), answer.text("data.deep.0.0.x"));
    assertTrue(answer.rawText("errors.0").contains("b"));
    assertEquals(
        Optional.of(SecretBytes.copyOf(new byte[] {1, 2, 3})),
        answer.decodeSecret("data.plaintext"));
  }

  @Test
  void absentOrOtherKind_isNothing() {
    JsonResponse answer = of(SAMPLE);
    assertEquals(Optional.empty(), answer.text("data.keys.1"));
    assertEquals(OptionalLong.empty(), answer.number("data.name"));
    assertEquals(OptionalLong.empty(), answer.number("data.deep.1"));
    assertFalse(answer.isTrue("data.none"));
    assertEquals(Optional.empty(), answer.text("errors.0"), "escapes are not read");
    assertEquals(Optional.empty(), answer.decodeSecret("errors.0"));
    assertEquals(Optional.empty(), answer.decodeSecret("data.none"));
  }

  @Test
  void closed_hasNothingLeft() {
    JsonResponse answer = of(SAMPLE);
    answer.close();
    assertFalse(answer.text("data.name").orElse("").contains("kf"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "<html>",
        "{\"a\":\"b\"",
        "{\"a\":\"b\"}}",
        "{\"a\" \"b\"}",
        "{\"a\":\"b\",}",
        "[\"a\",]",
        "{\"a\":}",
        "{a:1}",
        "\"a",
        "\"\\"
      })
  void noJson_hasNoValues(String text) {
    JsonResponse answer = of(text);
    assertEquals(Optional.empty(), answer.text("a"));
    assertEquals(Optional.empty(), answer.text("0"));
  }

  @Test
  void depthAndNumber_haveLimits() {
    assertEquals(Optional.empty(), of("[".repeat(5000) + "]".repeat(5000)).text("0"));
    String many = "\"a\",".repeat(JsonScanner.MAX_SCALARS);
    assertEquals(Optional.of("a"), of("[" + many.substring(0, many.length() - 1) + "]").text("0"));
    assertEquals(Optional.empty(), of("[" + many + "\"a\"]").text("0"));
  }

  @Test
  void corruptedBytes_neverThrow() {
    SplittableRandom random = new SplittableRandom(20_261);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = SAMPLE.getBytes(UTF_8);
      for (int j = random.nextInt(1, 4); j > 0; j--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      JsonResponse answer = JsonResponse.of(bytes);
      answer.text("data.name");
      answer.decodeSecret("data.plaintext");
      answer.number("data.keys.1");
      answer.close();
    }
  }
}
