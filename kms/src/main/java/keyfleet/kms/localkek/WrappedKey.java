package keyfleet.kms.localkek;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import keyfleet.crypto.KekVersion;

/// A key that a KEK has wrapped, with the name of that KEK: its keyring's random id and its
/// version. So a plugin that holds the KEK can unwrap the key without asking any store. The names
/// only say which KEK to try: the wrap itself authenticates keyring and key_id.
///
/// ```
/// 1 | version (4) | length (1) | keyring id | wrapped key
/// ```
public record WrappedKey(KekVersion version, String keyringId, ByteString wrapped) {
  private static final byte FORM = 1;
  private static final int HEADER_BYTES = Byte.BYTES + Integer.BYTES + Byte.BYTES;
  private static final int MAX_KEYRING_ID_BYTES = 127;

  /// The form that is stored beside a value.
  public byte[] toBytes() {
    byte[] id = keyringId.getBytes(StandardCharsets.UTF_8);
    if (id.length > MAX_KEYRING_ID_BYTES) {
      throw new IllegalArgumentException("a keyring id has at most 127 bytes, not " + id.length);
    }
    return ByteBuffer.allocate(HEADER_BYTES + id.length + wrapped.size())
        .put(FORM)
        .putInt(version.number())
        .put((byte) id.length)
        .put(id)
        .put(wrapped.asReadOnlyByteBuffer())
        .array();
  }

  /// Returns nothing for bytes that no plugin makes.
  public static Optional<WrappedKey> parse(ByteString bytes) {
    if (bytes.size() < HEADER_BYTES) {
      return Optional.empty();
    }
    ByteBuffer header = bytes.asReadOnlyByteBuffer();
    byte form = header.get();
    int version = header.getInt();
    int start = HEADER_BYTES + header.get();
    if (form != FORM || version < 1 || start < HEADER_BYTES || start >= bytes.size()) {
      return Optional.empty();
    }
    ByteString id = bytes.substring(HEADER_BYTES, start);
    return id.isValidUtf8()
        ? Optional.of(
            new WrappedKey(new KekVersion(version), id.toStringUtf8(), bytes.substring(start)))
        : Optional.empty();
  }
}
