package keyfleet.sim.cipher;

import keyfleet.sim.host.SeededRandom;

/// A 64-bit checksum of a key and a sequence of items: another key, order, length or bit gives
/// another sum, except for collisions.
final class KeyedChecksum {
  private static final long START = 0xCBF29CE484222325L;
  private static final long PRIME = 0x100000001B3L;

  private long sum;

  private KeyedChecksum(long sum) {
    this.sum = sum;
  }

  static KeyedChecksum of(byte[] key) {
    KeyedChecksum keyed = new KeyedChecksum(START);
    keyed.update(key, 0, key.length);
    keyed.endItem();
    return keyed;
  }

  KeyedChecksum copy() {
    return new KeyedChecksum(sum);
  }

  void update(byte[] bytes, int from, int length) {
    long s = sum;
    for (int i = from; i < from + length; i++) {
      s = (s ^ (bytes[i] & 0xFF)) * PRIME;
    }
    sum = s;
  }

  /// Ends an item, so that two short items differ from one long item.
  void endItem() {
    sum = SeededRandom.of(sum).next();
  }

  /// `length` bytes derived from the sum.
  byte[] toBytes(int length) {
    SeededRandom random = SeededRandom.of(sum);
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i += Long.BYTES) {
      random.fill(bytes, i);
    }
    return bytes;
  }
}
