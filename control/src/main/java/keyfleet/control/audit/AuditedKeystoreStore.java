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

/// Changes a keystore and its audit together (ADR 8).
///
/// The entry is written *inside* the changed keystore, by the same compare-and-set, so it exists if
/// and only if the change does. After that it is copied into the chain, by the same process or by
/// the next one. A keystore is replaced only when its entry is in the chain.
public final class AuditedKeystoreStore {
  private static final String REMEDY =
      "one of them was restored or edited; see `keyfleet audit verify`";

  private record ParsedEntry(Revision revision, AuditEntry entry) {}

  private final KeystoreStore keystoreStore;
  private final AuditEntryStore entryStore;
  private final AuditContext context;
  private final Supplier<String> nonces;
  private final Failpoints failpoints;

  /// The keystore whose entry this process last saw in the chain.
  private volatile @Nullable Revision copiedRevision;

  /// The entry that was read last.
  private volatile @Nullable ParsedEntry parsed;

  public AuditedKeystoreStore(
      KeystoreStore keystoreStore,
      AuditEntryStore entryStore,
      AuditContext context,
      Supplier<String> nonces,
      Failpoints failpoints) {
    this.keystoreStore = keystoreStore;
    this.entryStore = entryStore;
    this.context = context;
    this.nonces = nonces;
    this.failpoints = failpoints;
  }

  public AuditReader reader() {
    return new AuditReader(entryStore, this::read);
  }

  public Optional<StoredKeystore> read() {
    return failpoints.at(Failpoint.KEYSTORE_READ, () -> keystoreStore.read());
  }

  /// Hints that the keystore may have changed.
  public Watch watch(Runnable onChange) {
    return failpoints.at(Failpoint.KEYSTORE_READ, () -> keystoreStore.watch(onChange));
  }

  /// Whether the keystore is still the one that was read.
  public boolean isUnchanged(StoredKeystore storedKeystore) {
    return read().map(StoredKeystore::revision).equals(Optional.of(storedKeystore.revision()));
  }

  /// Returns true if the change is certainly stored. If not, the caller reads and decides again. A
  /// keystore that is created again continues the chain of the lost one.
  public boolean create(Keystore first, String summary) {
    AuditHead head = AuditHead.NONE;
    KeystoreFacts before = KeystoreFacts.NONE;
    for (Entry stored : entryStore.list()) {
      AuditEntry entry = AuditDocument.parse(stored.value());
      head = entry.head();
      before = before.after(entry.changes()).orElse(before);
    }
    AuditEntry entry = entry(head, before.changesTo(KeystoreFacts.of(first)), summary, "");
    Document note = AuditDocument.toDocument(entry);
    WriteOutcome outcome =
        failpoints.at(Failpoint.KEYSTORE_WRITE, () -> keystoreStore.create(first, note));
    return copyIfApplied(outcome, entry.number(), note);
  }

  /// As [#create].
  public boolean replace(StoredKeystore expected, Keystore next, String summary) {
    return replace(expected, next, summary, KeystoreFacts.changes(expected.keystore(), next));
  }

  /// As [#create]: writes an entry and leaves the keystore as it is.
  public boolean writeIntent(StoredKeystore expected, String summary, AuditChange intended) {
    return replace(expected, expected.keystore(), summary, List.of(intended));
  }

  private boolean replace(
      StoredKeystore expected, Keystore next, String summary, List<AuditChange> changes) {
    copyEntry(expected);
    AuditHead head = entry(expected).head();
    if (entryStore.find(head.number() + 1).isPresent()) {
      checkNotOlderThanChain(expected, head.number() + 1);
      return false; // another process was faster
    }
    AuditEntry entry = entry(head, changes, summary, rotation(expected.keystore(), next));
    Document note = AuditDocument.toDocument(entry);
    WriteOutcome outcome =
        failpoints.at(Failpoint.KEYSTORE_WRITE, () -> keystoreStore.replace(expected, next, note));
    return copyIfApplied(outcome, entry.number(), note);
  }

  /// Copies the entry of the keystore into the chain. The process that made the change may have
  /// crashed before it did so.
  public void copyEntry(StoredKeystore storedKeystore) {
    if (storedKeystore.revision().equals(copiedRevision)) {
      return;
    }
    AuditEntry entry = entry(storedKeystore);
    copiedRevision =
        switch (entryStore.append(entry)) {
          case WriteOutcome.Applied _ -> storedKeystore.revision();
          case WriteOutcome.Pending _ ->
              throw new StoreException(
                  "audit entry " + entry.number() + " got no clear answer from the store");
          case WriteOutcome.Superseded _ ->
              throw new MalformedValueException(
                  "the keystore and the audit chain differ in entry "
                      + entry.number()
                      + ": "
                      + REMEDY);
        };
  }

  /// The entry in the keystore.
  private AuditEntry entry(StoredKeystore storedKeystore) {
    ParsedEntry known = parsed;
    if (known == null || !known.revision().equals(storedKeystore.revision())) {
      known =
          new ParsedEntry(
              storedKeystore.revision(), AuditDocument.parse(storedKeystore.auditNote()));
      parsed = known;
    }
    return known.entry();
  }

  /// Throws if the keystore is older than the chain: then no process may change it.
  private void checkNotOlderThanChain(StoredKeystore expected, long number) {
    if (isUnchanged(expected)) {
      throw new MalformedValueException(
          "the audit chain has an entry " + number + " that the keystore does not have: " + REMEDY);
    }
  }

  private AuditEntry entry(
      AuditHead head, List<AuditChange> changes, String summary, String rotation) {
    AuditAction action =
        new AuditAction(
            context.actor(),
            summary,
            rotation,
            entryStore.storeTime(),
            context.wallClock().instant());
    return new AuditEntry(entryStore.keyring(), head, action, changes, nonces.get());
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

  private boolean copyIfApplied(WriteOutcome outcome, long number, Document note) {
    if (!(outcome instanceof WriteOutcome.Applied(Revision revision))) {
      return false;
    }
    try {
      copiedRevision =
          entryStore.append(number, note) instanceof WriteOutcome.Applied ? revision : null;
    } catch (StoreException e) {
      copiedRevision = null; // the keystore has the entry, so the next process copies it
    }
    return true;
  }
}
