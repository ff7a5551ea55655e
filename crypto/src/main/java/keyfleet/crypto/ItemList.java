package keyfleet.crypto;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// An encoding of a list of items, each behind its length in four bytes, so that no two lists
/// encode alike.
final class ItemList {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream(160);

  private ItemList bytes(byte[] item) {
    out.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(item.length).array());
    out.writeBytes(item);
    return this;
  }

  ItemList utf8(String item) {
    return bytes(item.getBytes(StandardCharsets.UTF_8));
  }

  ItemList int8(byte item) {
    return bytes(new byte[] {item});
  }

  ItemList int32(int item) {
    return bytes(ByteBuffer.allocate(Integer.BYTES).putInt(item).array());
  }

  ItemList int64(long item) {
    return bytes(ByteBuffer.allocate(Long.BYTES).putLong(item).array());
  }

  byte[] encoded() {
    return out.toByteArray();
  }
}
