package keyfleet.control.rotation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;
import keyfleet.control.audit.AuditContext;
import keyfleet.control.audit.AuditEntryStore;
import keyfleet.control.audit.AuditedKeystoreStore;
import keyfleet.control.rewrap.RotationProgress;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KnownPlugin;
import keyfleet.keyring.Roster;
import keyfleet.keyring.RotationId;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.Timings;
import keyfleet.member.document.CollectionRegistry;
import keyfleet.member.document.KeyEscaper;
import keyfleet.member.document.KeystoreStore;
import keyfleet.member.document.KnownPluginRegistry;
import keyfleet.member.document.RosterStore;
import keyfleet.member.document.RosterStore.BatchedRoster;
import keyfleet.store.Bucket;
import keyfleet.store.Census;
import keyfleet.store.Document;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Revision;
import keyfleet.store.Value;

/// Reads and writes what the processes of one keyring share in the store: the keystore, its audit,
/// the roster, the registered collections, the driver's heartbeat and progress. Each effect is at
/// its failpoint.
public final class KeyringStore {
  /// The driver's heartbeat. If its revision does not change, the driver is silent.
  private static final Bucket DRIVERS = new Bucket.Lasting("rotation_drivers");

  /// What each collection held when it was last counted.
  private static final Bucket COUNTS = new Bucket.Lasting("collection_counts");

  private static final Bucket PROGRESS = new Bucket.Lasting("rotation_progress");

  private static final Bucket RATES = new Bucket.Lasting("rotation_rates");

  /// Written when a version is disabled; the backup horizon is compared with the age of this key.
  private static final Bucket REMOVALS = new Bucket.Lasting("removals");

  private final KeyringName name;
  private final Kv kv;
  private final AuditedKeystoreStore keystores;
  private final RosterStore rosterStore;
  private final CollectionRegistry collectionRegistry;
  private final KnownPluginRegistry knownPlugins;
  private final Failpoints failpoints;

  /// For processes whose audit entries name no actor.
  public KeyringStore(KeyringName name, Kv kv, Supplier<String> nonces, Failpoints failpoints) {
    this(name, kv, nonces, failpoints, AuditContext.ANONYMOUS);
  }

  /// `context` is recorded in each audit entry.
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
    this.knownPlugins = new KnownPluginRegistry(kv, name);
    this.failpoints = failpoints;
  }

  /// The keystore and its audit.
  public AuditedKeystoreStore keystores() {
    return keystores;
  }

  public Roster readRoster(Timings timings) {
    return failpoints.at(Failpoint.ROSTER_READ, () -> rosterStore.read(timings));
  }

  /// As [#readRoster(Timings)]; calls `mapper` for each part of a large roster.
  <T> BatchedRoster<T> readRoster(Timings timings, BiFunction<List<Heartbeat>, Instant, T> mapper) {
    return failpoints.at(Failpoint.ROSTER_READ, () -> rosterStore.read(timings, mapper));
  }

  /// The plugins that were heard before. A keyring for records has none.
  public List<KnownPlugin> readKnownPlugins(Keystore keystore) {
    return keystore.identity().use() == Keystore.Use.KMS
        ? failpoints.at(Failpoint.PLUGINS_READ, () -> knownPlugins.list())
        : List.of();
  }

  /// Removes what is known of a process: its place among the plugins, and its last heartbeat.
  void forgetProcess(Timings timings, String instance) {
    failpoints.at(
        Failpoint.PROCESS_FORGET,
        () -> {
          rosterStore.delete(timings, instance);
          var _ = knownPlugins.forget(instance);
          return instance;
        });
  }

  void unregister(CollectionRegistration registration) {
    failpoints.at(
        Failpoint.COLLECTION_UNREGISTER,
        () -> {
          collectionRegistry.unregister(registration);
          return registration;
        });
  }

  List<CollectionRegistration> readRegistrations() {
    return failpoints.at(Failpoint.REGISTRY_READ, () -> collectionRegistry.registrations(name));
  }

  /// Remembers how many records needed each version, for the day when the collection is gone.
  void writeLastCount(CollectionRegistration registration, Census census) {
    Document.Builder counts = Document.builder();
    census.carrying().forEach((version, count) -> counts.number(version.toString(), count));
    failpoints.at(
        Failpoint.COUNT_WRITE,
        () -> kv.put(COUNTS, countKey(registration), counts.build().toValue()));
  }

  /// For people.
  String readLastCount(CollectionRegistration registration) {
    return failpoints.at(
        Failpoint.COUNT_READ,
        () ->
            kv.get(COUNTS, countKey(registration))
                .map(it -> describeCount(Document.parse(it.value())))
                .orElse("an unknown number of records"));
  }

  private static String describeCount(Document counts) {
    List<String> texts =
        counts.fieldNames().stream().map(it -> counts.number(it) + " under " + it).toList();
    return texts.isEmpty() ? "no records" : String.join(", ", texts);
  }

  private static Key countKey(CollectionRegistration registration) {
    return new Key(
        KeyEscaper.escape(registration.engine())
            + "."
            + KeyEscaper.escape(registration.collection()));
  }

  void writeDriverHeartbeat(RotationJob job) {
    Value value =
        Document.builder()
            .text("rotation", job.id().value())
            .text("driver", job.driver())
            .build()
            .toValue();
    failpoints.at(Failpoint.ROTATION_DRIVER_WRITE, () -> kv.put(DRIVERS, key(), value));
  }

  /// The revision of the last heartbeat of any driver.
  Optional<Revision> readDriverHeartbeat() {
    return failpoints.at(
        Failpoint.ROTATION_DRIVER_READ,
        () -> kv.get(DRIVERS, key()).map(entry -> entry.revision()));
  }

  /// The time since the last heartbeat of a driver, by store time.
  public Optional<Duration> readDriverHeartbeatAge() {
    return failpoints.at(
        Failpoint.ROTATION_DRIVER_READ,
        () -> kv.get(DRIVERS, key()).map(entry -> kv.storeTime().since(entry.writtenAt())));
  }

  void writeProgress(RotationProgress progress) {
    Value value = progress.toDocument().toValue();
    failpoints.at(Failpoint.PROGRESS_WRITE, () -> kv.put(PROGRESS, key(), value));
  }

  /// The progress of the last rotation that wrote one.
  public Optional<RotationProgress> readProgress() {
    return failpoints.at(
        Failpoint.PROGRESS_READ,
        () ->
            kv.get(PROGRESS, key())
                .map(entry -> RotationProgress.parse(Document.parse(entry.value()))));
  }

  /// Sets the rate of a rotation, for whichever process drives it. The last write counts.
  public void writeRate(RotationRate rate) {
    Value value = rate.toDocument().toValue();
    failpoints.at(Failpoint.RATE_WRITE, () -> kv.put(RATES, key(), value));
  }

  /// The rate that was set for this rotation; empty if none was.
  public Optional<RotationRate> readRate(RotationId rotation) {
    return failpoints
        .at(Failpoint.RATE_READ, () -> kv.get(RATES, key()))
        .map(entry -> RotationRate.parse(Document.parse(entry.value())))
        .filter(rate -> rate.rotation().equals(rotation));
  }

  /// Starts the backup horizon of the version.
  void markDisabled(KekVersion version) {
    Value value = Document.builder().number("version", version.number()).build().toValue();
    failpoints.at(Failpoint.REMOVAL_WRITE, () -> kv.put(REMOVALS, key(version), value));
  }

  /// By store time. Empty if the horizon has not started.
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
