package keyfleet.store;

import java.util.Arrays;

/// Immutable bytes, compared by content.
public final class Bytes {
  private final byte[] bytes;

  private Bytes(byte[] bytes) {
    this.bytes = bytes;
  }

  public static Bytes copyOf(byte[] bytes) {
    return new Bytes(bytes.clone());
  }

  /// Wraps the caller's array without a copy; the caller must not change it afterwards.
  public static Bytes wrap(byte[] bytes) {
    return new Bytes(bytes);
  }

  /// The internal array, without a copy: callers must only read it.
  byte[] sharedArray() {
    return bytes;
  }

  public int length() {
    return bytes.length;
  }

  public byte[] toArray() {
    return bytes.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Bytes that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return "Bytes[" + bytes.length + " bytes]";
  }
}
