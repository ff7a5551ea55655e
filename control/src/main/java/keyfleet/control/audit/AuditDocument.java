package keyfleet.control.audit;

import java.util.List;
import keyfleet.crypto.KeyringName;
import keyfleet.member.document.InstantParser;
import keyfleet.store.Document;
import keyfleet.store.MalformedValueException;
import keyfleet.store.StoreTime;
import keyfleet.store.Value;

/// An audit entry as it is stored, with its hash. An entry has one spelling: whoever writes it
/// writes the same bytes, and any other bytes are an edit.
final class AuditDocument {
  private static final long FORMAT = 1;

  private AuditDocument() {}

  static Document toDocument(AuditEntry entry) {
    AuditAction action = entry.action();
    return Document.builder()
        .number("format", FORMAT)
        .text("keyring", entry.keyring().value())
        .number("number", entry.number())
        .text("previous", entry.previous().hash())
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

  /// Throws [MalformedValueException] unless it is, byte for byte, what [#toDocument] makes of an
  /// entry.
  static AuditEntry parse(Value value) {
    AuditEntry entry = parse(Document.parse(value));
    if (!toDocument(entry).toValue().equals(value)) {
      throw new MalformedValueException("it is not spelled as entries are");
    }
    return entry;
  }

  /// As [#parse(Value)], for an entry within another document.
  static AuditEntry parse(Document document) {
    AuditEntry entry = document.as(AuditDocument::entry);
    if (!entry.head().hash().equals(document.text("hash"))) {
      throw new MalformedValueException("its hash is not that of what it says");
    }
    return entry;
  }

  private static AuditEntry entry(Document document) {
    if (document.number("format") != FORMAT) {
      throw new MalformedValueException("it has a format of a later program");
    }
    AuditEntry entry =
        new AuditEntry(
            new KeyringName(document.text("keyring")),
            new AuditHead(document.number("number") - 1, document.text("previous")),
            action(document),
            changes(document),
            document.text("nonce"));
    entry.head(); // what cannot be hashed is malformed as well
    return entry;
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
