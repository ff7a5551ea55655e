package keyfleet.crypto;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;

/// Where a sealed value lives. It is bound into the envelope, which therefore opens nowhere else.
public record Place(String collection, String recordId, String field) {
  static final int MAX_PART_BYTES = 1024;

  public Place {
    check(collection);
    check(recordId);
    check(field);
  }

  /// Strict: a lone surrogate would be written as `?`, and two places would share one encoding.
  private static void check(String part) {
    try {
      int length = UTF_8.newEncoder().encode(CharBuffer.wrap(part)).remaining();
      if (length < 1 || length > MAX_PART_BYTES) {
        throw new IllegalArgumentException(
            "a part of a place has 1 to " + MAX_PART_BYTES + " bytes, not " + length);
      }
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("a part of a place is not well-formed text", e);
    }
  }
}
