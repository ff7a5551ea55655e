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

/// A remote's JSON answer, whose values are asked for by path: `data.plaintext`, `errors.0`. Values
/// stay where they are in the body until then, so that a secret among them becomes no `String`;
/// closing wipes the body.
final class JsonResponse implements AutoCloseable {
  /// A value's first byte and the one behind its last; of a text, without the quotes.
  private record Span(int from, int to) {}

  /// Texts with escapes are none of those that we read, and are left out.
  private final Map<String, Span> texts = new HashMap<>();

  private final Map<String, Span> literals = new HashMap<>();
  private final byte[] body;

  private JsonResponse(byte[] body) {
    this.body = body;
  }

  /// Takes over `body`, which may be anything at all: what is not JSON within the limits has no
  /// values.
  static JsonResponse of(byte[] body) {
    JsonResponse response = new JsonResponse(body);
    try {
      new JsonScanner(body, response::addScalar).scan();
    } catch (JsonScanner.InvalidJsonException e) {
      response.texts.clear();
      response.literals.clear();
    }
    return response;
  }

  private void addScalar(String path, int from, int to) {
    if (body[from] == '"') {
      texts.put(path, new Span(from + 1, to - 1));
    } else {
      literals.put(path, new Span(from, to));
    }
  }

  Optional<String> text(String path) {
    return Optional.ofNullable(texts.get(path)).map(this::string).filter(s -> !s.contains("\\"));
  }

  /// A text with whatever escapes it has, for a search within it.
  String rawText(String path) {
    return Optional.ofNullable(texts.get(path)).map(this::string).orElse("");
  }

  OptionalLong number(String path) {
    Span span = literals.get(path);
    String digits = span == null ? "" : string(span);
    return digits.matches("[0-9]{1,18}")
        ? OptionalLong.of(Long.parseLong(digits))
        : OptionalLong.empty();
  }

  boolean isTrue(String path) {
    Span span = literals.get(path);
    return span != null && string(span).equals("true");
  }

  /// The names directly below `path` whose values are not texts.
  Set<String> memberNames(String path) {
    Set<String> names = new HashSet<>();
    for (String each : literals.keySet()) {
      if (each.startsWith(path + ".") && each.indexOf('.', path.length() + 1) < 0) {
        names.add(each.substring(path.length() + 1));
      }
    }
    return names;
  }

  /// What a text holds in Base64, if it does, for the caller to close.
  Optional<SecretBytes> decodeSecret(String path) {
    Span span = texts.get(path);
    if (span == null) {
      return Optional.empty();
    }
    byte[] encoded = Arrays.copyOfRange(body, span.from(), span.to());
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

  private String string(Span span) {
    return new String(body, span.from(), span.to() - span.from(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    Arrays.fill(body, (byte) 0);
  }
}
