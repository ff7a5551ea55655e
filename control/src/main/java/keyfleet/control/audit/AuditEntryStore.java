package keyfleet.control.audit;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;
import keyfleet.crypto.KeyringName;
import keyfleet.store.Bucket;
import keyfleet.store.ConditionalWrite;
import keyfleet.store.Document;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.MalformedValueException;
import keyfleet.store.Prefix;
import keyfleet.store.StoreException;
import keyfleet.store.StoreTime;
import keyfleet.store.Value;
import keyfleet.store.WriteOutcome;

/// The audit entries and ties of one keyring in the store. Each is created and never changed.
///
/// The entries that were written after one keystore entry have keys below its key, so a tie finds
/// new ones without reading the others, and a list has all entries nearly in the order of time.
public final class AuditEntryStore {
  private static final Bucket BUCKET = new Bucket.Lasting("audit");
  private static final Bucket TIES = new Bucket.Lasting("audit_ties");

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

  /// The key of an entry of the keystore's chain. Sixteen digits, so that keys sort by number.
  public static Key key(KeyringName keyring, long number) {
    return new Key(keyring + "." + digits(number));
  }

  static Key key(AuditEntry entry) {
    AuditLink link = entry.link();
    return link.isOfKeystore()
        ? key(entry.keyring(), entry.number())
        : new Key(
            key(entry.keyring(), link.keystoreHead().number())
                + "."
                + link.chain()
                + "."
                + digits(entry.number()));
  }

  private static String digits(long number) {
    String digits = Long.toString(number);
    return "0".repeat(Math.max(0, DIGITS - digits.length())) + digits;
  }

  KeyringName keyring() {
    return keyring;
  }

  /// Creates the entry under its key. Each process writes the same bytes for one entry, so
  /// `Superseded` means that the store has another entry with this key.
  WriteOutcome append(AuditEntry entry) {
    return append(entry, AuditDocument.toDocument(entry));
  }

  /// As [#append(AuditEntry)], for an entry that is already encoded.
  WriteOutcome append(AuditEntry entry, Document document) {
    ConditionalWrite write = new ConditionalWrite.Create(BUCKET, key(entry), document.toValue());
    return failpoints.at(Failpoint.AUDIT_WRITE, () -> write.sendUntilKnown(kv, MAX_TRIES));
  }

  /// Throws unless the tie is certainly stored.
  void append(AuditTie tie) {
    ConditionalWrite write =
        new ConditionalWrite.Create(TIES, new Key(keyring + "." + tie.digest()), tie.value());
    WriteOutcome outcome =
        failpoints.at(Failpoint.AUDIT_TIE_WRITE, () -> write.sendUntilKnown(kv, MAX_TRIES));
    switch (outcome) {
      case WriteOutcome.Applied _ -> {}
      case WriteOutcome.Pending _ ->
          throw new StoreException("a tie of the audit got no clear answer from the store");
      case WriteOutcome.Superseded _ ->
          throw new MalformedValueException(
              "a tie of the audit was edited; see `keyfleet audit verify`");
    }
  }

  /// The entry of the keystore's chain with this number.
  Optional<Entry> find(long number) {
    return failpoints.at(Failpoint.AUDIT_READ, () -> kv.get(BUCKET, key(keyring, number)));
  }

  /// Passes all entries on, by key: first an entry of the keystore, then the writers' entries that
  /// name it, by writer and number.
  void forEach(Consumer<Entry> consumer) {
    failpoints.at(
        Failpoint.AUDIT_LIST,
        () -> {
          kv.list(BUCKET, Prefix.under(new Key(keyring.value())), consumer);
          return true;
        });
  }

  /// As [#forEach], with only the writers' entries that name this entry of the keystore.
  void forEachAfter(long number, Consumer<Entry> consumer) {
    failpoints.at(
        Failpoint.AUDIT_LIST,
        () -> {
          kv.list(BUCKET, Prefix.under(key(keyring, number)), consumer);
          return true;
        });
  }

  /// All ties, by digest; also those of a keystore's change that lost its race.
  Map<String, Value> listTies() {
    Prefix all = Prefix.under(new Key(keyring.value()));
    Map<String, Value> ties = new TreeMap<>();
    failpoints
        .at(Failpoint.AUDIT_TIE_LIST, () -> kv.list(TIES, all))
        .forEach(it -> ties.put(it.key().value().substring(all.value().length()), it.value()));
    return ties;
  }

  StoreTime storeTime() {
    return failpoints.at(Failpoint.AUDIT_TIME, kv::storeTime);
  }
}
