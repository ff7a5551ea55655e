package keyfleet.rollout;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;

/// Encodes a list of items for signing and hashing. A four-byte length precedes each item, so no
/// two lists have the same encoding. A count precedes a list inside the list.
public final class CanonicalEncoder {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream(256);

  public CanonicalEncoder(String format) {
    utf8(format);
  }

  private CanonicalEncoder bytes(byte[] item) {
    out.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(item.length).array());
    out.writeBytes(item);
    return this;
  }

  /// Strict: a lone surrogate would be written as `?`, and two texts would share one encoding.
  public CanonicalEncoder utf8(String item) {
    try {
      ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(item));
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      return bytes(bytes);
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("not well-formed Unicode: " + item, e);
    }
  }

  /// Rejects text that has no UTF-8 encoding on input, not when a plan is hashed.
  public static void checkText(String text) {
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new IllegalArgumentException("not well-formed Unicode: " + text);
    }
  }

  public CanonicalEncoder int32(int item) {
    return bytes(ByteBuffer.allocate(Integer.BYTES).putInt(item).array());
  }

  public CanonicalEncoder int64(long item) {
    return bytes(ByteBuffer.allocate(Long.BYTES).putLong(item).array());
  }

  public CanonicalEncoder digest(Sha256 item) {
    return bytes(item.bytes());
  }

  public CanonicalEncoder texts(Collection<?> items) {
    int32(items.size());
    items.forEach(item -> utf8(item.toString()));
    return this;
  }

  public byte[] encoded() {
    return out.toByteArray();
  }
}
