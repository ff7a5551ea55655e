package keyfleet.crypto;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;

/// Bytes that are never printed and are compared in constant time. Closing wipes them, but not the
/// copies that the JDK made on the way (SECURITY.md).
public final class SecretBytes implements AutoCloseable {
  private final byte[] bytes;
  private boolean closed;

  private SecretBytes(byte[] bytes) {
    this.bytes = bytes;
  }

  public static SecretBytes copyOf(byte[] bytes) {
    return new SecretBytes(bytes.clone());
  }

  /// Takes ownership of the caller's array without a copy. The caller must not use the array again.
  static SecretBytes takeOwnership(byte[] bytes) {
    return new SecretBytes(bytes);
  }

  public static SecretBytes random(int length, SecureRandom random) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return takeOwnership(bytes);
  }

  public int length() {
    return bytes.length;
  }

  /// A copy of the bytes; the caller wipes it. Throws once closed: no thread may ever use a wiped
  /// key as a key of zeros.
  public synchronized byte[] reveal(SecretAccess access) {
    if (closed) {
      throw new IllegalStateException("secret bytes were used after close");
    }
    return bytes.clone();
  }

  @Override
  public synchronized void close() {
    closed = true;
    Arrays.fill(bytes, (byte) 0);
  }

  /// Equal bytes, compared in constant time. A closed secret equals only itself.
  @Override
  public boolean equals(Object other) {
    if (this == other) {
      return true;
    }
    return other instanceof SecretBytes that
        && !this.isClosed()
        && !that.isClosed()
        && MessageDigest.isEqual(this.bytes, that.bytes);
  }

  /// The length alone: a hash of the content would leak a little of it.
  @Override
  public int hashCode() {
    return bytes.length;
  }

  @Override
  public String toString() {
    return "SecretBytes[" + bytes.length + " bytes]";
  }

  private synchronized boolean isClosed() {
    return closed;
  }
}
