package keyfleet.kms.localkek;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.Optional;

/// A value as Kubernetes stores it. The first byte says where its key is: 1, in the annotation; 2,
/// wrapped, behind its length in two bytes, in the value itself.
///
/// ```
/// 1 | nonce (12) | ciphertext | tag (16)
/// 2 | length (2) | wrapped key | nonce (12) | ciphertext | tag (16)
/// ```
///
/// @param wrapped empty if the key is in the annotation
/// @param start where the box begins
public record KmsCiphertext(ByteString bytes, ByteString wrapped, int start) {
  /// What an API server takes.
  public static final int MAX_BYTES = 1024;

  /// The name under which a wrapped local KEK is stored: a domain, as Kubernetes wants, no path.
  public static final String ANNOTATION = "local-kek.kms.keyfleet.dev";

  private static final byte LOCAL = 1;
  private static final byte OWN = 2;
  private static final int OWN_HEAD = Byte.BYTES + Short.BYTES;

  private static final byte[] LOCAL_HEAD = {LOCAL};

  public static byte[] localHead() {
    return LOCAL_HEAD;
  }

  public static byte[] ownHead(byte[] wrapped) {
    return ByteBuffer.allocate(OWN_HEAD + wrapped.length)
        .put(OWN)
        .putShort((short) wrapped.length)
        .put(wrapped)
        .array();
  }

  public boolean isLocal() {
    return wrapped.isEmpty();
  }

  /// Nothing for bytes that this plugin never makes.
  public static Optional<KmsCiphertext> parse(ByteString bytes) {
    return switch (bytes.isEmpty() ? 0 : bytes.byteAt(0)) {
      case LOCAL -> Optional.of(new KmsCiphertext(bytes, ByteString.EMPTY, Byte.BYTES));
      case OWN -> own(bytes);
      default -> Optional.empty();
    };
  }

  private static Optional<KmsCiphertext> own(ByteString bytes) {
    if (bytes.size() < OWN_HEAD) {
      return Optional.empty();
    }
    int length = bytes.substring(Byte.BYTES, OWN_HEAD).asReadOnlyByteBuffer().getShort();
    int start = OWN_HEAD + length;
    return length < 1 || start > bytes.size()
        ? Optional.empty()
        : Optional.of(new KmsCiphertext(bytes, bytes.substring(OWN_HEAD, start), start));
  }
}
