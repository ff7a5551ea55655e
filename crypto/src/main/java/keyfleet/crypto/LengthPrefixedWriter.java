package keyfleet.crypto;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// An encoding of a list of items, each behind its length in four bytes, so that no two lists
/// encode alike.
final class LengthPrefixedWriter {
  private byte[] encoded = new byte[160];
  private int length;

  LengthPrefixedWriter bytes(byte[] item) {
    next(item.length).put(item);
    length += item.length;
    return this;
  }

  /// Where an item of this length goes, behind its length.
  private ByteBuffer next(int item) {
    int end = length + Integer.BYTES + item;
    if (end > encoded.length) {
      encoded = Arrays.copyOf(encoded, 2 * end);
    }
    ByteBuffer place = ByteBuffer.wrap(encoded, length, Integer.BYTES + item).putInt(item);
    length += Integer.BYTES;
    return place;
  }

  LengthPrefixedWriter utf8(String item) {
    return bytes(item.getBytes(StandardCharsets.UTF_8));
  }

  LengthPrefixedWriter int8(byte item) {
    next(Byte.BYTES).put(item);
    length += Byte.BYTES;
    return this;
  }

  LengthPrefixedWriter int32(int item) {
    next(Integer.BYTES).putInt(item);
    length += Integer.BYTES;
    return this;
  }

  LengthPrefixedWriter int64(long item) {
    next(Long.BYTES).putLong(item);
    length += Long.BYTES;
    return this;
  }

  byte[] encoded() {
    return Arrays.copyOf(encoded, length);
  }
}
