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
    JsonResponse response = of(SAMPLE);
    assertEquals(Optional.of("kf"), response.text("/data/name"));
    assertEquals(OptionalLong.of(18), response.number("/data/keys/2"));
    assertEquals(Set.of("1", "2"), response.memberNames("/data/keys"));
    assertTrue(response.isTrue("/data/derived"));
    assertEquals(Optional.of("y"), response.text("/data/deep/0/0/x"));
    assertTrue(response.rawText("/errors/0").contains("b"));
    assertEquals(
        Optional.of(SecretBytes.copyOf(new byte[] {1, 2, 3})),
        response.decodeSecret("/data/plaintext"));
  }

  @Test
  void absentOrOtherKind_isNothing() {
    JsonResponse response = of(SAMPLE);
    assertEquals(Optional.empty(), response.text("/data/keys/1"));
    assertEquals(OptionalLong.empty(), response.number("/data/name"));
    assertEquals(OptionalLong.empty(), response.number("/data/deep/1"));
    assertFalse(response.isTrue("/data/none"));
    assertEquals(Optional.empty(), response.text("/errors/0"), "escapes are not read");
    assertEquals(Optional.empty(), response.decodeSecret("/errors/0"));
    assertEquals(Optional.empty(), response.decodeSecret("/data/none"));
  }

  @Test
  void closed_hasNothingLeft() {
    JsonResponse response = of(SAMPLE);
    response.close();
    assertFalse(response.text("/data/name").orElse("").contains("kf"));
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
  void invalidJson_hasNoValues(String text) {
    JsonResponse response = of(text);
    assertEquals(Optional.empty(), response.text("/a"));
    assertEquals(Optional.empty(), response.text("/0"));
  }

  @Test
  void depthAndNumber_haveLimits() {
    assertEquals(Optional.empty(), of("[".repeat(5000) + "]".repeat(5000)).text("/0"));
    String most = "[" + "\"a\",".repeat(JsonResponse.MAX_TOKENS - 3) + "\"a\"";
    assertEquals(Optional.of("a"), of(most + "]").text("/0"));
    assertEquals(Optional.empty(), of(most + ",\"a\"]").text("/0"));
  }

  @Test
  void corruptedBytes_neverThrow() {
    SplittableRandom random = new SplittableRandom(20_261);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = SAMPLE.getBytes(UTF_8);
      for (int j = random.nextInt(1, 4); j > 0; j--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      JsonResponse response = JsonResponse.of(bytes);
      response.text("/data/name");
      response.decodeSecret("/data/plaintext");
      response.number("/data/keys/1");
      response.close();
    }
  }
}
