package keyfleet.control.audit;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import keyfleet.crypto.StrictUtf8;

/// The hash of an audit entry: SHA-256 over all its fields, including the hash of the entry before
/// it and its ties. The length of each text comes before it, so that no two entries hash the same
/// bytes.
final class AuditHash {
  private static final String DOMAIN = "keyfleet audit 2";

  /// One for each thread: the lookup of a digest takes longer than the hash of an entry.
  private static final ThreadLocal<MessageDigest> SHA_256 =
      ThreadLocal.withInitial(AuditHash::newSha256);

  private ByteBuffer input = ByteBuffer.allocate(1024);

  private AuditHash() {}

  static String of(AuditEntry entry) {
    AuditHash hash = new AuditHash();
    hash.addText(DOMAIN);
    hash.addText(entry.keyring().value());
    hash.addText(entry.link().chain());
    hash.addNumber(entry.number());
    hash.addText(entry.previous().hash());
    hash.addNumber(entry.link().keystoreHead().number());
    hash.addText(entry.link().keystoreHead().hash());
    hash.addNumber(entry.link().ties().size());
    entry.link().ties().forEach(hash::addText);
    hash.addAction(entry.action());
    hash.addNumber(entry.changes().size());
    for (AuditChange change : entry.changes()) {
      hash.addText(change.name());
      hash.addText(change.before());
      hash.addText(change.after());
    }
    hash.addText(entry.nonce());
    return of(hash.input.flip());
  }

  /// The hash of bytes that are too long to show.
  static String of(byte[] bytes) {
    return of(ByteBuffer.wrap(bytes));
  }

  private static String of(ByteBuffer bytes) {
    MessageDigest sha256 = SHA_256.get();
    sha256.update(bytes);
    return HexFormat.of().formatHex(sha256.digest());
  }

  private void addAction(AuditAction action) {
    addText(action.actor().user());
    addText(action.actor().host());
    addText(action.actor().instance());
    addText(action.summary());
    addText(action.rotation());
    addNumber(action.storeTime().millis());
    addNumber(action.date().toEpochMilli());
  }

  private void addNumber(long number) {
    ensureCapacity(Long.BYTES).putLong(number);
  }

  /// Refuses an unpaired surrogate: it would be hashed as a question mark.
  private void addText(String text) {
    byte[] bytes =
        StrictUtf8.encode(text)
            .orElseThrow(() ->
                new IllegalArgumentException(
                    "an audit entry has a text with an unpaired surrogate"));
    addNumber(bytes.length);
    ensureCapacity(bytes.length).put(bytes);
  }

  private ByteBuffer ensureCapacity(int bytes) {
    if (input.remaining() < bytes) {
      input = ByteBuffer.allocate(2 * input.capacity() + bytes).put(input.flip());
    }
    return input;
  }

  private static MessageDigest newSha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }
}
