package keyfleet.crypto;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;

/// Text as bytes, where two texts must never become the same bytes.
public final class StrictText {
  private StrictText() {}

  /// Nothing for half a surrogate pair: Java writes it as a question mark, and does not read it
  /// back.
  public static Optional<byte[]> utf8(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    return new String(bytes, UTF_8).equals(text) ? Optional.of(bytes) : Optional.empty();
  }
}
