package keyfleet.control.audit;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import keyfleet.crypto.StrictUtf8;

/// The hash of an audit entry: SHA-256 over every field, the hash of the entry before among them.
/// Each is preceded by its length, so that no two entries are the same bytes.
final class AuditHash {
  private static final String DOMAIN = "keyfleet audit 1";

  /// Kept by each thread: looking one up takes longer than to hash an entry.
  private static final ThreadLocal<MessageDigest> SHA_256 =
      ThreadLocal.withInitial(AuditHash::newSha256);

  private ByteBuffer hashed = ByteBuffer.allocate(1024);

  private AuditHash() {}

  static String of(AuditEntry entry) {
    AuditHash hash = new AuditHash();
    hash.text(DOMAIN);
    hash.text(entry.keyring().value());
    hash.number(entry.number());
    hash.text(entry.previous().hash());
    hash.deed(entry.deed());
    hash.number(entry.changes().size());
    for (AuditChange change : entry.changes()) {
      hash.text(change.name());
      hash.text(change.before());
      hash.text(change.after());
    }
    hash.text(entry.nonce());
    return of(hash.hashed.flip());
  }

  /// Of bytes that are too long to be shown.
  static String of(byte[] bytes) {
    return of(ByteBuffer.wrap(bytes));
  }

  private static String of(ByteBuffer bytes) {
    MessageDigest sha256 = SHA_256.get();
    sha256.update(bytes);
    return HexFormat.of().formatHex(sha256.digest());
  }

  private void deed(AuditAction deed) {
    text(deed.who().user());
    text(deed.who().host());
    text(deed.who().instance());
    text(deed.what());
    text(deed.rotation());
    number(deed.at().millis());
    number(deed.date().toEpochMilli());
  }

  private void number(long number) {
    room(Long.BYTES).putLong(number);
  }

  /// Half a surrogate pair is refused: it would be hashed as a question mark.
  private void text(String text) {
    byte[] bytes =
        StrictUtf8.encode(text)
            .orElseThrow(() ->
                new IllegalArgumentException("an audit entry holds a text that is no Unicode"));
    number(bytes.length);
    room(bytes.length).put(bytes);
  }

  private ByteBuffer room(int bytes) {
    if (hashed.remaining() < bytes) {
      hashed = ByteBuffer.allocate(2 * hashed.capacity() + bytes).put(hashed.flip());
    }
    return hashed;
  }

  private static MessageDigest newSha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
