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

/// A JSON response whose values are read by path: `data.plaintext`, `errors.0`. Values stay in the
/// body until they are read, so that a secret among them never becomes a `String`. Closing wipes
/// the body.
final class JsonResponse implements AutoCloseable {
  /// The first byte of a value and the one after its last; of a text, without the quotes.
  private record Span(int from, int to) {}

  /// Texts with escapes are never needed and are left out.
  private final Map<String, Span> texts = new HashMap<>();

  private final Map<String, Span> literals = new HashMap<>();
  private final byte[] body;

  private JsonResponse(byte[] body) {
    this.body = body;
  }

  /// Takes ownership of `body`, which may be anything: a body that is not JSON within the limits
  /// has no values.
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

  /// A text with its escapes as they are, for a search within it.
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
    for (String valuePath : literals.keySet()) {
      if (valuePath.startsWith(path + ".") && valuePath.indexOf('.', path.length() + 1) < 0) {
        names.add(valuePath.substring(path.length() + 1));
      }
    }
    return names;
  }

  /// The Base64-decoded content of a text; the caller closes it.
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
