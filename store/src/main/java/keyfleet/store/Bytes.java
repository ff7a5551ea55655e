package keyfleet.store;

import java.util.Arrays;

/// Bytes that nobody can change, compared by content.
public final class Bytes {
  private final byte[] bytes;

  private Bytes(byte[] bytes) {
    this.bytes = bytes;
  }

  public static Bytes copyOf(byte[] bytes) {
    return new Bytes(bytes.clone());
  }

  /// Wraps the caller's array without a copy; from here on nobody may change it.
  static Bytes owning(byte[] bytes) {
    return new Bytes(bytes);
  }

  /// Without a copy, for readers only.
  byte[] shared() {
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
