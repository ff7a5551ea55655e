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

  private final Id id;
  private final Dek key;
  private final byte[] aad;
  private final long createdAtNanos;
  private final AtomicLong uses = new AtomicLong();
  private volatile boolean exhausted;

  /// Takes over `key`. It was made, or came into this memory, at `bornAt`.
  LocalKek(String keyringId, Id id, Dek key, long createdAtNanos) {
    this.id = id;
    this.key = key;
    this.aad = KmsAad.ofValue(keyringId, id.keyId(), id.wrapped().toByteArray());
    this.createdAtNanos = createdAtNanos;
  }

  public Id id() {
    return id;
  }

  /// On a clock of nanoseconds.
  public long createdAtNanos() {
    return createdAtNanos;
  }

  /// Counts a use; which one it was, from 1.
  long countUse() {
    return uses.incrementAndGet();
  }

  public long uses() {
    return uses.get();
  }

  /// It is too old, or has sealed too much.
  public void markExhausted() {
    exhausted = true;
  }

  public boolean isExhausted() {
    return exhausted;
  }

  public byte[] seal(byte[] header, byte[] plain, SecureRandom random) {
    return RandomNonceAead.seal(key, aad, header, plain, random);
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
