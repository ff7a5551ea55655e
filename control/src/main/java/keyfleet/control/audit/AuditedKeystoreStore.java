package keyfleet.control.audit;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.RotationJob;
import keyfleet.member.document.KeystoreStore;
import keyfleet.member.document.KeystoreStore.StoredKeystore;
import keyfleet.store.Document;
import keyfleet.store.Entry;
import keyfleet.store.MalformedValueException;
import keyfleet.store.Revision;
import keyfleet.store.StoreException;
import keyfleet.store.Watch;
import keyfleet.store.WriteOutcome;
import org.jspecify.annotations.Nullable;

/// A keystore that cannot be changed without an audit entry (ADR 8).
///
/// The entry is written *inside* the changed keystore, by the same compare-and-set: it is there if
/// and only if the change is. It is copied into the chain after that, by its author or by whoever
/// comes next; and nobody replaces a keystore whose entry is not in the chain.
public final class AuditedKeystoreStore {
  private static final String REMEDY =
      "one of them was put back or edited; see `keyfleet audit verify`";

  private record ParsedEntry(Revision revision, AuditEntry entry) {}

  private final KeystoreStore keystoreStore;
  private final AuditEntryStore chain;
  private final AuditContext author;
  private final Supplier<String> nonces;
  private final Failpoints failpoints;

  /// The keystore whose entry this process last saw in the chain.
  private volatile @Nullable Revision copied;

  /// The entry that was read last.
  private volatile @Nullable ParsedEntry noted;

  public AuditedKeystoreStore(
      KeystoreStore keystoreStore,
      AuditEntryStore chain,
      AuditContext author,
      Supplier<String> nonces,
      Failpoints failpoints) {
    this.keystoreStore = keystoreStore;
    this.chain = chain;
    this.author = author;
    this.nonces = nonces;
    this.failpoints = failpoints;
  }

  public AuditReader trail() {
    return new AuditReader(chain, this::read);
  }

  public Optional<StoredKeystore> read() {
    return failpoints.at(Failpoint.KEYSTORE_READ, () -> keystoreStore.read());
  }

  /// Hints that it may have changed.
  public Watch watch(Runnable changed) {
    return failpoints.at(Failpoint.KEYSTORE_READ, () -> keystoreStore.watch(changed));
  }

  /// Whether nobody has changed the keystore since it was read.
  public boolean isStill(StoredKeystore storedKeystore) {
    return read().map(StoredKeystore::revision).equals(Optional.of(storedKeystore.revision()));
  }

  /// Whether it surely stands. If not, whoever asked reads again and decides anew. A keystore made
  /// anew goes on where the chain of the lost one ends.
  public boolean create(Keystore first, String what) {
    AuditHead head = AuditHead.NONE;
    KeystoreFacts before = KeystoreFacts.NONE;
    for (Entry stored : chain.list()) {
      AuditEntry entry = AuditDocument.read(stored.value());
      head = entry.head();
      before = before.after(entry.changes()).orElse(before);
    }
    AuditEntry entry = entry(head, before.changesTo(KeystoreFacts.of(first)), what, "");
    Document note = AuditDocument.written(entry);
    WriteOutcome writeOutcome =
        failpoints.at(Failpoint.KEYSTORE_WRITE, () -> keystoreStore.create(first, note));
    return stands(writeOutcome, entry.number(), note);
  }

  /// As [#create].
  public boolean replace(StoredKeystore expected, Keystore next, String what) {
    return replace(expected, next, what, KeystoreFacts.changes(expected.keystore(), next));
  }

  /// As [#create]: an entry that leaves the keystore as it is.
  public boolean note(StoredKeystore expected, String what, AuditChange intended) {
    return replace(expected, expected.keystore(), what, List.of(intended));
  }

  private boolean replace(
      StoredKeystore expected, Keystore next, String what, List<AuditChange> changes) {
    copy(expected);
    AuditHead head = entry(expected).head();
    if (chain.find(head.number() + 1).isPresent()) {
      return overtaken(expected, head.number() + 1);
    }
    AuditEntry entry = entry(head, changes, what, rotation(expected.keystore(), next));
    Document note = AuditDocument.written(entry);
    WriteOutcome writeOutcome =
        failpoints.at(Failpoint.KEYSTORE_WRITE, () -> keystoreStore.replace(expected, next, note));
    return stands(writeOutcome, entry.number(), note);
  }

  /// Sees to it that the entry of the keystore is in the chain, whose author may have died before
  /// it put it there.
  public void copy(StoredKeystore storedKeystore) {
    if (storedKeystore.revision().equals(copied)) {
      return;
    }
    AuditEntry entry = entry(storedKeystore);
    copied =
        switch (chain.keep(entry)) {
          case WriteOutcome.Applied _ -> storedKeystore.revision();
          case WriteOutcome.Pending _ ->
              throw new StoreException("audit entry " + entry.number() + " got no clear answer");
          case WriteOutcome.Superseded _ ->
              throw new MalformedValueException(
                  "keystore and audit chain differ in entry " + entry.number() + ": " + REMEDY);
        };
  }

  /// The entry that the keystore holds.
  private AuditEntry entry(StoredKeystore storedKeystore) {
    ParsedEntry known = noted;
    if (known == null || !known.revision().equals(storedKeystore.revision())) {
      known =
          new ParsedEntry(
              storedKeystore.revision(), AuditDocument.read(storedKeystore.auditNote()));
      noted = known;
    }
    return known.entry();
  }

  /// Somebody was faster; or the keystore is older than the chain, and then nobody may change it.
  private boolean overtaken(StoredKeystore expected, long number) {
    if (isStill(expected)) {
      throw new MalformedValueException(
          "the audit chain has an entry " + number + " that the keystore does not know: " + REMEDY);
    }
    return false;
  }

  private AuditEntry entry(
      AuditHead head, List<AuditChange> changes, String what, String rotation) {
    AuditAction deed =
        new AuditAction(author.actor(), what, rotation, chain.now(), author.calendar().instant());
    return new AuditEntry(chain.keyring(), head, deed, changes, nonces.get());
  }

  /// The rotation that the change is part of.
  private static String rotation(Keystore before, Keystore next) {
    Rotation now = next.rotation();
    return before.rotation().equals(now)
        ? ""
        : Rotation.lastJob(now)
            .or(() -> Rotation.lastJob(before.rotation()))
            .map(RotationJob::id)
            .map(id -> id.value())
            .orElse("");
  }

  private boolean stands(WriteOutcome writeOutcome, long number, Document note) {
    if (!(writeOutcome instanceof WriteOutcome.Applied(Revision revision))) {
      return false;
    }
    try {
      copied = chain.keep(number, note) instanceof WriteOutcome.Applied ? revision : null;
    } catch (StoreException e) {
      copied = null; // the keystore has it, so whoever comes next puts it there
    }
    return true;
  }
}
