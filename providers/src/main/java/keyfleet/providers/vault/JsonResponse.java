package keyfleet.providers.vault;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import keyfleet.crypto.SecretBytes;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

/// A JSON response whose values are read by JSON Pointer: `/data/plaintext`, `/errors/0`.
///
/// A secret among the texts never becomes a `String` and enters no buffer of the parser, because
/// neither can be wiped: the parser is only asked where a text begins, so it checks the text in
/// place. Closing wipes the body, the only copy.
final class JsonResponse implements AutoCloseable {
  /// A name and its value are two tokens.
  static final int MAX_TOKENS = 40_000;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNestingDepth(16).maxTokenCount(MAX_TOKENS).build())
          .disable(TokenStreamFactory.Feature.CHARSET_DETECTION) // positions are those of UTF-8
          .build();

  /// The position of each text, after its opening quote.
  private final Map<String, Integer> texts = new HashMap<>();

  /// Numbers, true, false and null.
  private final Map<String, String> literals = new HashMap<>();

  private final byte[] body;

  private JsonResponse(byte[] body) {
    this.body = body;
  }

  /// Takes ownership of `body`, which may be anything: a body that is not JSON within the limits
  /// has no values.
  static JsonResponse of(byte[] body) {
    JsonResponse response = new JsonResponse(body);
    try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), body)) {
      response.findValues(parser);
    } catch (JacksonException e) {
      response.texts.clear();
      response.literals.clear();
    }
    return response;
  }

  private void findValues(JsonParser parser) {
    for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
      if (token.isScalarValue()) {
        String pointer = parser.streamReadContext().pathAsPointer().toString();
        if (token == JsonToken.VALUE_STRING) {
          texts.put(pointer, (int) parser.currentTokenLocation().getByteOffset() + 1);
        } else {
          literals.put(pointer, parser.getString());
        }
      }
    }
  }

  /// A text without escapes; others and empty ones are never needed.
  Optional<String> text(String pointer) {
    return Optional.of(rawText(pointer)).filter(s -> !s.isEmpty() && !s.contains("\\"));
  }

  /// A text with its escapes as they are, for a search within it.
  String rawText(String pointer) {
    return new String(textBytes(pointer), StandardCharsets.UTF_8);
  }

  OptionalLong number(String pointer) {
    String digits = literals.getOrDefault(pointer, "");
    return digits.matches("[0-9]{1,18}")
        ? OptionalLong.of(Long.parseLong(digits))
        : OptionalLong.empty();
  }

  boolean isTrue(String pointer) {
    return "true".equals(literals.get(pointer));
  }

  /// The names directly below `pointer` whose values are not texts.
  Set<String> memberNames(String pointer) {
    Set<String> names = new HashSet<>();
    for (String other : literals.keySet()) {
      int slash = other.lastIndexOf('/');
      if (slash == pointer.length() && other.startsWith(pointer)) {
        names.add(other.substring(slash + 1));
      }
    }
    return names;
  }

  /// The Base64-decoded content of a text; the caller closes it.
  Optional<SecretBytes> decodeSecret(String pointer) {
    if (!texts.containsKey(pointer)) {
      return Optional.empty();
    }
    byte[] encoded = textBytes(pointer);
    byte[] decoded = {};
    try {
      decoded = Base64.getDecoder().decode(encoded);
      return Optional.of(SecretBytes.copyOf(decoded));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    } finally {
      Arrays.fill(encoded, (byte) 0);
      Arrays.fill(decoded, (byte) 0);
    }
  }

  /// The bytes of a text up to its closing quote, which the parser has seen; empty if there is
  /// none.
  private byte[] textBytes(String pointer) {
    Integer from = texts.get(pointer);
    if (from == null) {
      return new byte[0];
    }
    int to = from;
    while (body[to] != '"') {
      to += body[to] == '\\' ? 2 : 1;
    }
    return Arrays.copyOfRange(body, from, to);
  }

  @Override
  public void close() {
    Arrays.fill(body, (byte) 0);
    texts.clear();
    literals.clear();
  }
}
