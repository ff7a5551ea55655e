package keyfleet.sim.cipher;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import keyfleet.crypto.Dek;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.SecretAccess;
import keyfleet.crypto.SecretBytes;

/// A KEK that hides nothing and costs almost nothing, but refuses a DEK that another key wrapped,
/// or that was wrapped for another location. `material` stands for the key's bytes: two keys of one
/// version with different material cannot unwrap each other's DEKs.
public record FakeKek(KekVersion version, long material) implements Kek {
  @Override
  public byte[] wrap(Dek dek, byte[] aad) {
    byte[] bytes = dek.bytes().reveal(SecretAccess.granted());
    return ByteBuffer.allocate(2 * Long.BYTES + bytes.length)
        .putLong(material)
        .putLong(digest(aad, bytes))
        .put(bytes)
        .array();
  }

  @Override
  public Optional<Dek> unwrap(byte[] wrapped, byte[] aad) {
    if (wrapped.length != 2 * Long.BYTES + Dek.BYTES) {
      return Optional.empty();
    }
    ByteBuffer buffer = ByteBuffer.wrap(wrapped);
    long usedMaterial = buffer.getLong();
    long digest = buffer.getLong();
    byte[] bytes = Arrays.copyOfRange(wrapped, 2 * Long.BYTES, wrapped.length);
    return usedMaterial == material && digest == digest(aad, bytes)
        ? Optional.of(new Dek(SecretBytes.copyOf(bytes)))
        : Optional.empty();
  }

  private long digest(byte[] aad, byte[] bytes) {
    return material * 0x9E3779B97F4A7C15L
        ^ ((long) Arrays.hashCode(aad) << 32)
        ^ Arrays.hashCode(bytes);
  }
}
