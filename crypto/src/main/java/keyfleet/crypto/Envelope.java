package keyfleet.crypto;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/// A sealed value as it is stored: the wrapped DEK, the KEK version that wrapped it, and the data.
/// The package description has the layout.
public final class Envelope {
  public static final int MAX_PLAINTEXT = 8 << 20;
  public static final int MAX_WRAPPED_DEK = 4096;

  /// The offset of the KEK version: four bytes, big-endian. Stores read it there.
  public static final int VERSION_OFFSET = 6;

  private static final int MAGIC = 0xEB4B4645;
  private static final byte FORMAT = 1;
  private static final int HEADER_BYTES = 12;
  private static final int MAX_BYTES =
      HEADER_BYTES + MAX_WRAPPED_DEK + DerivedKeyAead.OVERHEAD_BYTES + MAX_PLAINTEXT;

  private final CipherSuite cipherSuite;
  private final KekVersion version;
  private final byte[] wrappedDek;
  private final byte[] data;

  Envelope(CipherSuite cipherSuite, KekVersion version, byte[] wrappedDek, byte[] data) {
    if (wrappedDek.length < 1 || wrappedDek.length > MAX_WRAPPED_DEK) {
      throw new IllegalArgumentException(
          "a wrapped DEK has 1 to " + MAX_WRAPPED_DEK + " bytes, not " + wrappedDek.length);
    }
    this.cipherSuite = cipherSuite;
    this.version = version;
    this.wrappedDek = wrappedDek;
    this.data = data;
  }

  public byte[] toBytes() {
    return ByteBuffer.allocate(HEADER_BYTES + wrappedDek.length + data.length)
        .putInt(MAGIC)
        .put(FORMAT)
        .put(cipherSuite.code())
        .putInt(version.number())
        .putShort((short) wrappedDek.length)
        .put(wrappedDek)
        .put(data)
        .array();
  }

  private record Header(CipherSuite cipherSuite, KekVersion version, int wrappedLength) {
    private static Optional<Header> parse(byte[] bytes) {
      if (bytes.length < HEADER_BYTES || bytes.length > MAX_BYTES) {
        return Optional.empty();
      }
      ByteBuffer in = ByteBuffer.wrap(bytes);
      if (in.getInt() != MAGIC || in.get() != FORMAT) {
        return Optional.empty();
      }
      Optional<CipherSuite> cipherSuite = CipherSuite.fromCode(in.get());
      int version = in.getInt();
      int wrapped = Short.toUnsignedInt(in.getShort());
      boolean wellFormed =
          version >= 1
              && wrapped >= 1
              && wrapped <= MAX_WRAPPED_DEK
              && in.remaining() - wrapped >= DerivedKeyAead.OVERHEAD_BYTES;
      return wellFormed
          ? cipherSuite.map(it -> new Header(it, new KekVersion(version), wrapped))
          : Optional.empty();
    }
  }

  /// Parses what [#toBytes] wrote. Empty if `bytes` is anything else.
  public static Optional<Envelope> parse(byte[] bytes) {
    return Header.parse(bytes).map(header -> parseBody(header, bytes));
  }

  private static Envelope parseBody(Header header, byte[] bytes) {
    int data = HEADER_BYTES + header.wrappedLength();
    return new Envelope(
        header.cipherSuite(),
        header.version(),
        Arrays.copyOfRange(bytes, HEADER_BYTES, data),
        Arrays.copyOfRange(bytes, data, bytes.length));
  }

  /// The version of the envelope, without copying the rest. Empty exactly when [#parse] is empty.
  public static Optional<KekVersion> parseVersion(byte[] bytes) {
    return Header.parse(bytes).map(Header::version);
  }

  public KekVersion version() {
    return version;
  }

  CipherSuite cipherSuite() {
    return cipherSuite;
  }

  byte[] wrappedDek() {
    return wrappedDek;
  }

  byte[] data() {
    return data;
  }

  /// SHA-256 of the sealed data, in hex. It identifies the value through every rewrap and reveals
  /// nothing about it.
  public String dataDigest() {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(data));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /// The same data with the same DEK wrapped under another version.
  Envelope withWrappedDek(KekVersion target, byte[] newWrappedDek) {
    return new Envelope(cipherSuite, target, newWrappedDek, data);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Envelope that
        && cipherSuite == that.cipherSuite
        && version.equals(that.version)
        && Arrays.equals(wrappedDek, that.wrappedDek)
        && Arrays.equals(data, that.data);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(data);
  }

  @Override
  public String toString() {
    return "Envelope["
        + version
        + ", "
        + (HEADER_BYTES + wrappedDek.length + data.length)
        + " bytes]";
  }
}
