package keyfleet.control.audit;

import java.util.List;
import java.util.Optional;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;
import keyfleet.crypto.KeyringName;
import keyfleet.store.Bucket;
import keyfleet.store.ConditionalWrite;
import keyfleet.store.Document;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import keyfleet.store.StoreTime;
import keyfleet.store.WriteOutcome;

/// The audit entries of one keyring in the store. An entry is created and never changed.
public final class AuditEntryStore {
  private static final Bucket BUCKET = new Bucket.Lasting("audit");

  /// How often an entry is sent while the store gives no clear answer.
  private static final int MAX_TRIES = 3;

  private static final int DIGITS = 16;

  private final KeyringName keyring;
  private final Kv kv;
  private final Failpoints failpoints;

  public AuditEntryStore(KeyringName keyring, Kv kv, Failpoints failpoints) {
    this.keyring = keyring;
    this.kv = kv;
    this.failpoints = failpoints;
  }

  /// Sixteen digits, so that keys sort by number.
  public static Key key(KeyringName keyring, long number) {
    String digits = Long.toString(number);
    return new Key(keyring + "." + "0".repeat(Math.max(0, DIGITS - digits.length())) + digits);
  }

  KeyringName keyring() {
    return keyring;
  }

  /// Creates the entry under its number. Each process writes the same bytes for one entry, so
  /// `Superseded` means that the store has another entry with this number.
  WriteOutcome append(AuditEntry entry) {
    return append(entry.number(), AuditDocument.toDocument(entry));
  }

  /// As [#append(AuditEntry)], for an entry that is already encoded.
  WriteOutcome append(long number, Document document) {
    ConditionalWrite write =
        new ConditionalWrite.Create(BUCKET, key(keyring, number), document.toValue());
    return failpoints.at(Failpoint.AUDIT_WRITE, () -> write.sendUntilKnown(kv, MAX_TRIES));
  }

  Optional<Entry> find(long number) {
    return failpoints.at(Failpoint.AUDIT_READ, () -> kv.get(BUCKET, key(keyring, number)));
  }

  /// All entries, by number.
  List<Entry> list() {
    Prefix all = Prefix.under(new Key(keyring.value()));
    return failpoints.at(Failpoint.AUDIT_LIST, () -> kv.list(BUCKET, all));
  }

  StoreTime storeTime() {
    return failpoints.at(Failpoint.AUDIT_TIME, kv::storeTime);
  }
}
