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
    addText(format);
  }

  private CanonicalEncoder addBytes(byte[] item) {
    out.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(item.length).array());
    out.writeBytes(item);
    return this;
  }

  /// Strict: a lone surrogate would be written as `?`, and two texts would share one encoding.
  public CanonicalEncoder addText(String item) {
    try {
      ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(item));
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      return addBytes(bytes);
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

  public CanonicalEncoder addInt(int item) {
    return addBytes(ByteBuffer.allocate(Integer.BYTES).putInt(item).array());
  }

  public CanonicalEncoder addLong(long item) {
    return addBytes(ByteBuffer.allocate(Long.BYTES).putLong(item).array());
  }

  public CanonicalEncoder addDigest(Sha256 item) {
    return addBytes(item.bytes());
  }

  public CanonicalEncoder addTexts(Collection<?> items) {
    addInt(items.size());
    items.forEach(item -> addText(item.toString()));
    return this;
  }

  public byte[] toBytes() {
    return out.toByteArray();
  }
}
