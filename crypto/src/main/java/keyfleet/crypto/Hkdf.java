package keyfleet.crypto;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// HKDF-SHA-512 (RFC 5869) on the JDK's HMAC. The JDK's own KDF looks the HMAC up twice for every
/// message.
///
/// An instance holds the result of the extract step, for a key from which many others are derived.
final class Hkdf implements AutoCloseable {
  private static final String HMAC = "HmacSHA512";
  private static final int HASH_BYTES = 64;
  private static final SecretKeySpec BLANK_KEY = new SecretKeySpec(new byte[HASH_BYTES], HMAC);

  /// One per thread: creating a MAC costs half of a short message, and MACs must not be shared.
  /// Each remembers the key of its last message, which opens only that message.
  private static final ThreadLocal<Mac> MAC = ThreadLocal.withInitial(Hkdf::newMac);

  private final Mac extracted;
  private boolean closed;

  private Hkdf(Mac extracted) {
    this.extracted = extracted;
  }

  /// Extract and expand, for a key from which nothing else is derived.
  static byte[] derive(SecretBytes key, byte[] salt, byte[] info, int length) {
    try {
      return expandBlocks(initWithExtractedKey(MAC.get(), key, salt), info, length);
    } catch (GeneralSecurityException e) {
      throw failure(e);
    }
  }

  /// Extract alone.
  static Hkdf extract(SecretBytes key, byte[] salt) {
    try {
      Mac hmac = initWithExtractedKey(newMac(), key, salt);
      hmac.update(new byte[0]); // hashes the key block once, so that no copy has to
      return new Hkdf(hmac);
    } catch (GeneralSecurityException e) {
      throw failure(e);
    }
  }

  /// Expand. Throws after [#close], as [SecretBytes#reveal] does.
  byte[] expand(byte[] info, int length) {
    Mac hmac = copyExtracted();
    try {
      return expandBlocks(hmac, info, length);
    } catch (GeneralSecurityException e) {
      throw failure(e);
    } finally {
      wipe(hmac);
    }
  }

  private synchronized Mac copyExtracted() {
    if (closed) {
      throw new IllegalStateException("a key was used after close");
    }
    try {
      return (Mac) extracted.clone();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("this JVM's HMAC-SHA-512 cannot be copied", e);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    wipe(extracted);
  }

  private static Mac initWithExtractedKey(Mac hmac, SecretBytes key, byte[] salt)
      throws GeneralSecurityException {
    hmac.init(new SecretKeySpec(salt.length == 0 ? new byte[HASH_BYTES] : salt, HMAC));
    byte[] input = key.reveal(SecretAccess.granted());
    byte[] extracted = hmac.doFinal(input);
    Arrays.fill(input, (byte) 0);
    hmac.init(new SecretKeySpec(extracted, HMAC));
    Arrays.fill(extracted, (byte) 0);
    return hmac;
  }

  private static byte[] expandBlocks(Mac hmac, byte[] info, int length)
      throws GeneralSecurityException {
    byte[] expanded = new byte[Math.ceilDiv(length, HASH_BYTES) * HASH_BYTES];
    for (int at = 0; at < expanded.length; at += HASH_BYTES) {
      hmac.update(expanded, Math.max(0, at - HASH_BYTES), Math.min(at, HASH_BYTES));
      hmac.update(info);
      hmac.update((byte) (at / HASH_BYTES + 1));
      hmac.doFinal(expanded, at);
    }
    return length == expanded.length ? expanded : truncateAndWipe(expanded, length);
  }

  private static byte[] truncateAndWipe(byte[] whole, int length) {
    byte[] start = Arrays.copyOf(whole, length);
    Arrays.fill(whole, (byte) 0);
    return start;
  }

  /// Overwrites the key with a blank one.
  private static void wipe(Mac hmac) {
    try {
      hmac.init(BLANK_KEY);
    } catch (InvalidKeyException e) {
      throw failure(e);
    }
  }

  private static Mac newMac() {
    try {
      return Mac.getInstance(HMAC, DerivedKeyAead.PROVIDER);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JVM has no HMAC-SHA-512", e);
    }
  }

  private static IllegalStateException failure(GeneralSecurityException e) {
    return new IllegalStateException("HKDF-SHA-512 failed", e);
  }
}
