package keyfleet.kms.localkek;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.Optional;

/// A ciphertext as Kubernetes stores it. The first byte says where the key is: 1 for the
/// annotation, 2 for the ciphertext itself, wrapped and after its length in two bytes.
///
/// ```
/// 1 | nonce (12) | ciphertext | tag (16)
/// 2 | length (2) | wrapped key | nonce (12) | ciphertext | tag (16)
/// ```
///
/// @param wrapped empty if the key is in the annotation
/// @param payloadOffset where the nonce begins
public record KmsCiphertext(ByteString bytes, ByteString wrapped, int payloadOffset) {
  /// The limit of an API server.
  public static final int MAX_BYTES = 1024;

  /// The annotation that contains the wrapped local KEK. Kubernetes requires a domain name without
  /// a path.
  public static final String ANNOTATION = "local-kek.kms.keyfleet.dev";

  private static final byte LOCAL_KEK = 1;
  private static final byte EMBEDDED_KEY = 2;
  private static final int EMBEDDED_KEY_HEADER_BYTES = Byte.BYTES + Short.BYTES;

  private static final byte[] LOCAL_KEK_HEADER = {LOCAL_KEK};

  public static byte[] localKekHeader() {
    return LOCAL_KEK_HEADER;
  }

  public static byte[] embeddedKeyHeader(byte[] wrapped) {
    return ByteBuffer.allocate(EMBEDDED_KEY_HEADER_BYTES + wrapped.length)
        .put(EMBEDDED_KEY)
        .putShort((short) wrapped.length)
        .put(wrapped)
        .array();
  }

  public boolean isSealedUnderLocalKek() {
    return wrapped.isEmpty();
  }

  /// Returns nothing for bytes that this plugin never makes.
  public static Optional<KmsCiphertext> parse(ByteString bytes) {
    return switch (bytes.isEmpty() ? 0 : bytes.byteAt(0)) {
      case LOCAL_KEK -> Optional.of(new KmsCiphertext(bytes, ByteString.EMPTY, Byte.BYTES));
      case EMBEDDED_KEY -> parseEmbeddedKey(bytes);
      default -> Optional.empty();
    };
  }

  private static Optional<KmsCiphertext> parseEmbeddedKey(ByteString bytes) {
    if (bytes.size() < EMBEDDED_KEY_HEADER_BYTES) {
      return Optional.empty();
    }
    int length =
        bytes.substring(Byte.BYTES, EMBEDDED_KEY_HEADER_BYTES).asReadOnlyByteBuffer().getShort();
    int start = EMBEDDED_KEY_HEADER_BYTES + length;
    return length < 1 || start > bytes.size()
        ? Optional.empty()
        : Optional.of(
            new KmsCiphertext(bytes, bytes.substring(EMBEDDED_KEY_HEADER_BYTES, start), start));
  }
}
