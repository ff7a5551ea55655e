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
