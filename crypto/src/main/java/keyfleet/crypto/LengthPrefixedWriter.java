package keyfleet.crypto;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Encodes a list of items, each after its length in four bytes, so that no two lists have the same
/// encoding.
final class LengthPrefixedWriter {
  private byte[] encoded = new byte[160];
  private int length;

  LengthPrefixedWriter putBytes(byte[] item) {
    reserve(item.length).put(item);
    length += item.length;
    return this;
  }

  /// Writes the length and returns the space for the item.
  private ByteBuffer reserve(int item) {
    int end = length + Integer.BYTES + item;
    if (end > encoded.length) {
      encoded = Arrays.copyOf(encoded, 2 * end);
    }
    ByteBuffer slot = ByteBuffer.wrap(encoded, length, Integer.BYTES + item).putInt(item);
    length += Integer.BYTES;
    return slot;
  }

  LengthPrefixedWriter putUtf8(String item) {
    return putBytes(item.getBytes(StandardCharsets.UTF_8));
  }

  LengthPrefixedWriter putByte(byte item) {
    reserve(Byte.BYTES).put(item);
    length += Byte.BYTES;
    return this;
  }

  LengthPrefixedWriter putInt(int item) {
    reserve(Integer.BYTES).putInt(item);
    length += Integer.BYTES;
    return this;
  }

  LengthPrefixedWriter putLong(long item) {
    reserve(Long.BYTES).putLong(item);
    length += Long.BYTES;
    return this;
  }

  byte[] toBytes() {
    return Arrays.copyOf(encoded, length);
  }
}
