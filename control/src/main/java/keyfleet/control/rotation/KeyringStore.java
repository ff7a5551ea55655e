package keyfleet.control.rotation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;
import keyfleet.control.audit.AuditChange;
import keyfleet.control.audit.AuditContext;
import keyfleet.control.audit.AuditEntryStore;
import keyfleet.control.audit.AuditReader;
import keyfleet.control.audit.AuditedKeystoreStore;
import keyfleet.control.rewrap.RotationProgress;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Roster;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.Timings;
import keyfleet.member.document.CollectionRegistry;
import keyfleet.member.document.KeystoreStore;
import keyfleet.member.document.KeystoreStore.StoredKeystore;
import keyfleet.member.document.RosterStore;
import keyfleet.member.document.RosterStore.BatchedRoster;
import keyfleet.store.Bucket;
import keyfleet.store.Document;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Revision;
import keyfleet.store.Value;
import keyfleet.store.Watch;

/// What one keyring's processes share in the store, as a worker or an operator sees it. Every
/// effect stands at its failpoint.
public final class KeyringStore {
  /// The driver's sign of life. Its revision moves, or the driver is silent.
  private static final Bucket DRIVERS = new Bucket.Lasting("rotation_drivers");

  private static final Bucket PROGRESS = new Bucket.Lasting("rotation_progress");

  /// Written when a version is disabled: the entry's age is what the backup horizon counts.
  private static final Bucket REMOVALS = new Bucket.Lasting("removals");

  private final KeyringName name;
  private final Kv kv;
  private final AuditedKeystoreStore keystores;
  private final RosterStore rosterStore;
  private final CollectionRegistry collectionRegistry;
  private final Failpoints failpoints;

  /// In nobody's name.
  public KeyringStore(KeyringName name, Kv kv, Supplier<String> nonces, Failpoints failpoints) {
    this(name, kv, nonces, failpoints, AuditContext.ANONYMOUS);
  }

  /// Whatever is changed is changed in the author's name.
  public KeyringStore(
      KeyringName name,
      Kv kv,
      Supplier<String> nonces,
      Failpoints failpoints,
      AuditContext context) {
    this.name = name;
    this.kv = kv;
    this.keystores =
        new AuditedKeystoreStore(
            new KeystoreStore(kv, name, nonces),
            new AuditEntryStore(name, kv, failpoints),
            context,
            nonces,
            failpoints);
    this.rosterStore = new RosterStore(kv, name);
    this.collectionRegistry = new CollectionRegistry(kv, nonces);
    this.failpoints = failpoints;
  }

  public Optional<StoredKeystore> readKeystore() {
    return keystores.read();
  }

  /// Hints that the keystore may have changed, until the watch is closed.
  public Watch watch(Runnable onChange) {
    return keystores.watch(onChange);
  }

  /// How the keystore came to be what it is.
  public AuditReader audit() {
    return keystores.reader();
  }

  /// What somebody else did, and may have died before it was in the audit chain, is put there.
  void audit(StoredKeystore storedKeystore) {
    keystores.copyEntry(storedKeystore);
  }

  /// Whether nobody has changed the keystore since it was read.
  boolean isUnchanged(StoredKeystore storedKeystore) {
    return keystores.isUnchanged(storedKeystore);
  }

  /// Whether it surely stands. If not, whoever asked reads again and decides anew. `what` is for
  /// the audit.
  boolean create(Keystore first, String summary) {
    return keystores.create(first, summary);
  }

  /// As [#create].
  boolean replace(StoredKeystore expected, Keystore next, String summary) {
    return keystores.replace(expected, next, summary);
  }

  /// As [#create]: what somebody is about to do, and is no change of the keystore.
  boolean writeIntent(StoredKeystore expected, String summary, AuditChange intended) {
    return keystores.writeIntent(expected, summary, intended);
  }

  public Roster readRoster(Timings timings) {
    return failpoints.at(Failpoint.ROSTER_READ, () -> rosterStore.read(timings));
  }

  /// As [#readRoster(Timings)], with `making` called for each part of a large one.
  <T> BatchedRoster<T> readRoster(Timings timings, BiFunction<List<Heartbeat>, Instant, T> mapper) {
    return failpoints.at(Failpoint.ROSTER_READ, () -> rosterStore.read(timings, mapper));
  }

  List<CollectionRegistration> collectionRegistrations() {
    return failpoints.at(Failpoint.REGISTRY_READ, () -> collectionRegistry.registrations(name));
  }

  void writeDriverHeartbeat(RotationJob rotationJob) {
    Value value =
        Document.builder()
            .text("rotation", rotationJob.id().value())
            .text("driver", rotationJob.driver())
            .build()
            .toValue();
    failpoints.at(Failpoint.SIGN_WRITE, () -> kv.put(DRIVERS, key(), value));
  }

  /// The revision of the last sign, whoever gave it.
  Optional<Revision> readDriverHeartbeat() {
    return failpoints.at(
        Failpoint.SIGN_READ, () -> kv.get(DRIVERS, key()).map(entry -> entry.revision()));
  }

  /// How long ago a driver last gave a sign of life, by store time.
  public Optional<Duration> readDriverHeartbeatAge() {
    return failpoints.at(
        Failpoint.SIGN_READ,
        () -> kv.get(DRIVERS, key()).map(entry -> kv.storeTime().since(entry.writtenAt())));
  }

  void writeProgress(RotationProgress progress) {
    Value value = progress.toDocument().toValue();
    failpoints.at(Failpoint.PROGRESS_WRITE, () -> kv.put(PROGRESS, key(), value));
  }

  /// Of the last rotation that reported any.
  public Optional<RotationProgress> readProgress() {
    return failpoints.at(
        Failpoint.PROGRESS_READ,
        () ->
            kv.get(PROGRESS, key())
                .map(entry -> RotationProgress.parse(Document.parse(entry.value()))));
  }

  /// Starts the count of the backup horizon.
  void markDisabled(KekVersion version) {
    Value value = Document.builder().number("version", version.number()).build().toValue();
    failpoints.at(Failpoint.REMOVAL_WRITE, () -> kv.put(REMOVALS, key(version), value));
  }

  /// By store time. Nothing if the count has not begun.
  Optional<Duration> readDisabledAge(KekVersion version) {
    return failpoints.at(
        Failpoint.REMOVAL_READ,
        () -> kv.get(REMOVALS, key(version)).map(entry -> kv.storeTime().since(entry.writtenAt())));
  }

  private Key key() {
    return new Key(name.value());
  }

  private Key key(KekVersion version) {
    return new Key(name.value() + "." + version);
  }
}
