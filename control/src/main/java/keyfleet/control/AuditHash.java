package keyfleet.control;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// The hash of an audit entry: SHA-256 over every field, the hash of the entry before among them.
/// Each is preceded by its length, so that no two entries are the same bytes.
final class AuditHash {
  private static final String DOMAIN = "keyfleet audit 1";

  private final MessageDigest digest = sha256();

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
    return hash.hex();
  }

  /// Of bytes that are too long to be shown.
  static String of(byte[] bytes) {
    return HexFormat.of().formatHex(sha256().digest(bytes));
  }

  private void deed(AuditDeed deed) {
    text(deed.who().user());
    text(deed.who().host());
    text(deed.who().instance());
    text(deed.what());
    text(deed.rotation());
    number(deed.at().millis());
    number(deed.date().toEpochMilli());
  }

  private void number(long number) {
    digest.update(ByteBuffer.allocate(Long.BYTES).putLong(number).flip());
  }

  /// Half a surrogate pair is refused: it would be hashed as a question mark.
  private void text(String text) {
    try {
      ByteBuffer bytes = UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      number(bytes.remaining());
      digest.update(bytes);
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("an audit entry holds a text that is no Unicode", e);
    }
  }

  private String hex() {
    return HexFormat.of().formatHex(digest.digest());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
