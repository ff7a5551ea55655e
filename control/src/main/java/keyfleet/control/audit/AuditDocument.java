package keyfleet.control.audit;

import java.util.List;
import keyfleet.crypto.KeyringName;
import keyfleet.member.document.InstantParser;
import keyfleet.store.Document;
import keyfleet.store.MalformedValueException;
import keyfleet.store.StoreTime;
import keyfleet.store.Value;

/// The stored form of an audit entry, with its hash. An entry has exactly one encoding: any other
/// bytes are an edit.
final class AuditDocument {
  private static final long FORMAT = 2;

  private AuditDocument() {}

  static Document toDocument(AuditEntry entry) {
    AuditAction action = entry.action();
    return Document.builder()
        .number("format", FORMAT)
        .text("keyring", entry.keyring().value())
        .text("chain", entry.link().chain())
        .number("number", entry.number())
        .text("previous", entry.previous().hash())
        .text("keystore_head", entry.link().keystoreHead().toString())
        .texts("ties", entry.link().ties())
        .text("user", action.actor().user())
        .text("host", action.actor().host())
        .text("instance", action.actor().instance())
        .text("what", action.summary())
        .text("rotation", action.rotation())
        .number("store_time", action.storeTime().millis())
        .text("date", action.date().toString())
        .documents("changes", entry.changes().stream().map(AuditDocument::toDocument).toList())
        .text("nonce", entry.nonce())
        .text("hash", entry.head().hash())
        .build();
  }

  private static Document toDocument(AuditChange change) {
    return Document.builder()
        .text("name", change.name())
        .text("before", change.before())
        .text("after", change.after())
        .build();
  }

  /// Throws [MalformedValueException] unless the value is, byte for byte, what [#toDocument] makes
  /// of an entry.
  static AuditEntry parse(Value value) {
    AuditEntry entry = parse(Document.parse(value));
    if (!toDocument(entry).toValue().equals(value)) {
      throw new MalformedValueException(
          "the entry is not in the form that keyfleet writes; it was edited");
    }
    return entry;
  }

  /// As [#parse(Value)], for an entry inside another document.
  static AuditEntry parse(Document document) {
    AuditEntry entry = document.as(AuditDocument::entry);
    if (!entry.head().hash().equals(document.text("hash"))) {
      throw new MalformedValueException(
          "the hash of the entry does not match its content; it was edited");
    }
    return entry;
  }

  private static AuditEntry entry(Document document) {
    long format = document.number("format");
    if (format != FORMAT) {
      throw new MalformedValueException(
          "the entry has format %d, and this version of keyfleet reads format %d; use the version that wrote it"
              .formatted(format, FORMAT));
    }
    AuditEntry entry =
        new AuditEntry(
            new KeyringName(document.text("keyring")),
            link(document),
            action(document),
            changes(document),
            document.text("nonce"));
    entry.head(); // an entry that cannot be hashed is malformed too
    return entry;
  }

  private static AuditLink link(Document document) {
    return new AuditLink(
        document.text("chain"),
        new AuditHead(document.number("number") - 1, document.text("previous")),
        AuditHead.parse(document.text("keystore_head"))
            .orElseThrow(() -> new MalformedValueException("keystore_head is not NUMBER:HASH")),
        document.texts("ties"));
  }

  private static AuditAction action(Document document) {
    return new AuditAction(
        new AuditActor(document.text("user"), document.text("host"), document.text("instance")),
        document.text("what"),
        document.text("rotation"),
        new StoreTime(document.number("store_time")),
        InstantParser.parse(document.text("date")));
  }

  private static List<AuditChange> changes(Document document) {
    return document.documents("changes").stream()
        .map(change ->
            new AuditChange(change.text("name"), change.text("before"), change.text("after")))
        .toList();
  }
}
