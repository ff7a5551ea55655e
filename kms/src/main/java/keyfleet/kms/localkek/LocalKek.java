package keyfleet.kms.localkek;

import com.google.protobuf.ByteString;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import keyfleet.crypto.Dek;
import keyfleet.crypto.KmsAad;
import keyfleet.crypto.RandomNonceAead;

/// A key in memory that seals values. Its wrapped form is stored beside each of them; the KEK that
/// the key_id names wraps it. Safe for any number of threads.
public final class LocalKek implements AutoCloseable {
  /// Identifies a local KEK.
  public record Id(String keyId, ByteString wrapped) {}

  private static final byte[] NO_HEADER = {};
  private static final byte[] SELF_CHECK = {'k', 'e', 'y'};

  private final Id id;
  private final Dek key;
  private final byte[] aad;
  private final long createdAtNanos;
  private final byte[] selfCheckValue;
  private final AtomicLong uses = new AtomicLong();
  private volatile boolean exhausted;

  /// Takes ownership of `key`, which was made or unwrapped at `createdAtNanos`.
  LocalKek(String keyringId, Id id, Dek key, SecureRandom random, long createdAtNanos) {
    this.id = id;
    this.key = key;
    this.aad = KmsAad.ofValue(keyringId, id.keyId(), id.wrapped().toByteArray());
    this.selfCheckValue = RandomNonceAead.seal(key, aad, NO_HEADER, SELF_CHECK, random);
    this.createdAtNanos = createdAtNanos;
  }

  /// Whether the key in memory is still the one that was made: it opens what it sealed then. Calls
  /// no remote and counts as no use.
  public boolean passesSelfCheck() {
    try {
      return RandomNonceAead.open(key, aad, selfCheckValue, 0)
          .filter(it -> Arrays.equals(it, SELF_CHECK))
          .isPresent();
    } catch (IllegalStateException e) {
      return false; // wiped
    }
  }

  public Id id() {
    return id;
  }

  /// On the plugin's clock.
  public long createdAtNanos() {
    return createdAtNanos;
  }

  /// Counts a use and returns its number, from 1.
  long countUse() {
    return uses.incrementAndGet();
  }

  public long uses() {
    return uses.get();
  }

  /// Ends its use for sealing: it is too old or has sealed too many values.
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

  /// Wipes the key. A thread that uses it afterwards gets an exception.
  @Override
  public void close() {
    key.close();
  }
}
