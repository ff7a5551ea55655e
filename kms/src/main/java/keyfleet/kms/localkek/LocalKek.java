package keyfleet.kms.localkek;

import com.google.protobuf.ByteString;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import keyfleet.crypto.Dek;
import keyfleet.crypto.KmsAad;
import keyfleet.crypto.RandomNonceAead;

/// A key in memory that seals values, and the form in which it is stored beside each of them:
/// wrapped by the KEK that a key_id names. For any thread.
public final class LocalKek implements AutoCloseable {
  /// What a local KEK is found by.
  public record Id(String keyId, ByteString wrapped) {}

  private final Id name;
  private final Dek key;
  private final byte[] aad;
  private final long bornAt;
  private final AtomicLong uses = new AtomicLong();
  private volatile boolean spent;

  /// Takes over `key`. It was made, or came into this memory, at `bornAt`.
  LocalKek(String keyringId, Id name, Dek key, long bornAt) {
    this.name = name;
    this.key = key;
    this.aad = KmsAad.ofValue(keyringId, name.keyId(), name.wrapped().toByteArray());
    this.bornAt = bornAt;
  }

  public Id name() {
    return name;
  }

  /// On a clock of nanoseconds.
  public long bornAt() {
    return bornAt;
  }

  /// Counts a use; which one it was, from 1.
  long use() {
    return uses.incrementAndGet();
  }

  public long uses() {
    return uses.get();
  }

  /// It is too old, or has sealed too much.
  public void spend() {
    spent = true;
  }

  public boolean isSpent() {
    return spent;
  }

  public byte[] seal(byte[] head, byte[] plain, SecureRandom random) {
    return RandomNonceAead.seal(key, aad, head, plain, random);
  }

  public Optional<byte[]> open(byte[] sealed, int start) {
    return RandomNonceAead.open(key, aad, sealed, start);
  }

  /// A thread that is about to use it gets an exception from here on.
  @Override
  public void close() {
    key.close();
  }
}
