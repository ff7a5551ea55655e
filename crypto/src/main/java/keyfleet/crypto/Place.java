package keyfleet.crypto;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/// Where a sealed value lives. It is bound into the envelope, which therefore opens nowhere else.
public record Place(String collection, String recordId, String field) {
  static final int MAX_PART_BYTES = 1024;

  public Place {
    utf8(collection);
    utf8(recordId);
    utf8(field);
  }

  /// Strict: a lone surrogate would be replaced by `?`, and two places would share one encoding.
  static byte[] utf8(String part) {
    try {
      ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(part));
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      if (bytes.length < 1 || bytes.length > MAX_PART_BYTES) {
        throw new IllegalArgumentException(
            "a part of a place has 1 to " + MAX_PART_BYTES + " bytes, not " + bytes.length);
      }
      return bytes;
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("a part of a place is not well-formed text", e);
    }
  }
}
