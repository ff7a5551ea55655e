package keyfleet.control.audit;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
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

/// Changes a keystore and its audit together (ADR 8), and writes the entries of what is no change
/// of a keystore into a chain of this process (ADR 16).
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

  private final Object writerLock = new Object();

  /// The last entry of this process's chain; null before the first.
  private @Nullable AuditEntry writerEntry;

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
    LostChain lost = readLostChain();
    AuditEntry entry =
        entry(
            lost.head,
            writeTies(lost.head.number()),
            lost.facts.changesTo(KeystoreFacts.of(first)),
            summary,
            "");
    Document note = AuditDocument.toDocument(entry);
    WriteOutcome outcome =
        failpoints.at(Failpoint.KEYSTORE_WRITE, () -> keystoreStore.create(first, note));
    return copyIfApplied(outcome, entry, note);
  }

  /// The end of the keystore's chain, and the facts of the keystore that it ended with.
  private static final class LostChain {
    private AuditHead head = AuditHead.NONE;
    private KeystoreFacts facts = KeystoreFacts.NONE;

    void follow(AuditEntry entry) {
      if (entry.link().isOfKeystore()) {
        head = entry.head();
        facts = facts.after(entry.changes()).orElse(facts);
      }
    }
  }

  private LostChain readLostChain() {
    LostChain lost = new LostChain();
    entryStore.forEach(stored -> lost.follow(AuditDocument.parse(stored.value())));
    return lost;
  }

  /// As [#create].
  public boolean replace(StoredKeystore expected, Keystore next, String summary) {
    return replace(expected, next, summary, () -> writeTies(entry(expected).number()));
  }

  /// As [#create]: ties these heads of writers' chains, and leaves the keystore as it is.
  public boolean tie(StoredKeystore expected, Collection<AuditChainHead> heads) {
    return replace(expected, expected.keystore(), AuditSummary.TIE, () -> writeTies(heads));
  }

  /// Writes an entry of the chain of this process, and leaves the keystore as it is. Writers do not
  /// wait for each other. Returns true if the entry is certainly stored; if not, the caller may try
  /// again.
  public boolean writeIntent(StoredKeystore keystore, String summary, List<AuditChange> intended) {
    AuditHead keystoreHead = entry(keystore).head();
    synchronized (writerLock) {
      AuditEntry before = writerEntry;
      if (before != null && before.link().keystoreHead().number() > keystoreHead.number()) {
        return false; // the chain would go back; the keystore has changed since it was read
      }
      AuditChainHead previous =
          before == null
              ? new AuditChainHead(nonces.get(), AuditHead.NONE)
              : new AuditChainHead(before.link().chain(), before.head());
      writerEntry = null; // if the outcome is unknown, the next entry begins another chain
      AuditEntry entry = entry(AuditLink.ofWriter(previous, keystoreHead), intended, summary, "");
      boolean isStored = entryStore.append(entry) instanceof WriteOutcome.Applied;
      writerEntry = isStored ? entry : null;
      return isStored;
    }
  }

  /// Ties the writers' entries that name this entry of the keystore's chain or the one before it:
  /// an entry that is written while the keystore changes once is tied by the next change. Returns
  /// the digests.
  private List<String> writeTies(long number) {
    Map<String, AuditChainHead> heads = new TreeMap<>();
    for (long after = Math.max(1, number - 1); after <= number; after++) {
      NewestEntries newest = new NewestEntries();
      entryStore.forEachAfter(after, newest::add);
      newest.heads().forEach(it -> heads.put(it.chain(), it));
    }
    return writeTies(heads.values());
  }

  /// The last entry of each writer in a list by key.
  private static final class NewestEntries {
    private final Map<String, Entry> byWriter = new TreeMap<>();

    void add(Entry stored) {
      String key = stored.key().value();
      byWriter.put(key.substring(0, key.lastIndexOf('.')), stored);
    }

    List<AuditChainHead> heads() {
      return byWriter.values().stream().flatMap(it -> head(it).stream()).toList();
    }

    /// A malformed entry is not tied: a verdict names it.
    private static Optional<AuditChainHead> head(Entry stored) {
      try {
        AuditEntry entry = AuditDocument.parse(stored.value());
        return Optional.of(new AuditChainHead(entry.link().chain(), entry.head()));
      } catch (MalformedValueException e) {
        return Optional.empty();
      }
    }
  }

  private List<String> writeTies(Collection<AuditChainHead> heads) {
    List<AuditTie> ties = AuditTie.of(entryStore.keyring(), heads);
    ties.forEach(entryStore::append);
    return ties.stream().map(AuditTie::digest).toList();
  }

  private boolean replace(
      StoredKeystore expected, Keystore next, String summary, Supplier<List<String>> ties) {
    copyEntry(expected);
    AuditHead head = entry(expected).head();
    if (entryStore.find(head.number() + 1).isPresent()) {
      checkNotOlderThanChain(expected, head.number() + 1);
      return false; // another process was faster
    }
    AuditEntry entry =
        entry(
            head,
            ties.get(),
            KeystoreFacts.changes(expected.keystore(), next),
            summary,
            rotation(expected.keystore(), next));
    Document note = AuditDocument.toDocument(entry);
    WriteOutcome outcome =
        failpoints.at(Failpoint.KEYSTORE_WRITE, () -> keystoreStore.replace(expected, next, note));
    return copyIfApplied(outcome, entry, note);
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
      AuditHead head,
      List<String> ties,
      List<AuditChange> changes,
      String summary,
      String rotation) {
    return entry(AuditLink.ofKeystore(head, ties), changes, summary, rotation);
  }

  private AuditEntry entry(
      AuditLink link, List<AuditChange> changes, String summary, String rotation) {
    AuditAction action =
        new AuditAction(
            context.actor(),
            summary,
            rotation,
            entryStore.storeTime(),
            context.wallClock().instant());
    return new AuditEntry(entryStore.keyring(), link, action, changes, nonces.get());
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

  private boolean copyIfApplied(WriteOutcome outcome, AuditEntry entry, Document note) {
    if (!(outcome instanceof WriteOutcome.Applied(Revision revision))) {
      return false;
    }
    try {
      copiedRevision =
          entryStore.append(entry, note) instanceof WriteOutcome.Applied ? revision : null;
    } catch (StoreException e) {
      copiedRevision = null; // the keystore has the entry, so the next process copies it
    }
    return true;
  }
}
