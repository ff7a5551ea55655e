package keyfleet.control.rotation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.lang.reflect.Proxy;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import keyfleet.control.Failpoints;
import keyfleet.control.audit.AuditActor;
import keyfleet.control.audit.AuditContext;
import keyfleet.control.rotation.RotationLoop.NextTick;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.FieldLocation;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.OpenResult.Opened;
import keyfleet.crypto.SecretAccess;
import keyfleet.crypto.SecretBytes;
import keyfleet.crypto.SoftwareKek;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Heartbeat.ProcessInfo;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KnownPlugin;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.SafeHold;
import keyfleet.keyring.Timings;
import keyfleet.member.Sealer;
import keyfleet.member.SealerResult;
import keyfleet.member.document.CollectionRegistry;
import keyfleet.member.document.FenceMarks;
import keyfleet.member.document.KeystoreStore;
import keyfleet.member.document.KnownPluginRegistry;
import keyfleet.member.heartbeat.Membership;
import keyfleet.member.heartbeat.ProcessIdentity;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.providers.KekProvider;
import keyfleet.providers.Ticker;
import keyfleet.store.Bytes;
import keyfleet.store.FakeKv;
import keyfleet.store.FakeRecords;
import keyfleet.store.FakeStoreClock;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.Records;
import keyfleet.store.SealedFields;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.StoredRecord;

/// A fleet in one thread: a store, collections, processes that seal, and workers that rotate. Tests
/// advance the clock.
public final class RotationTestFleet {
  static final Timings TIMINGS = Timings.DEFAULT;
  static final Instant TODAY = Instant.parse("2026-11-03T10:15:30.123Z");
  private static final int VERSIONS = 4;
  private static final int MAX_ROUNDS = 400;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final FakeStoreClock time = new FakeStoreClock();
  private final FakeKv kv = new FakeKv(time);
  private final KeystoreStore keystoreStore = new KeystoreStore(kv, KeyringName.MAIN, this::nonce);
  private final Map<String, Records> collections = new TreeMap<>();
  private final Map<KekVersion, SoftwareKek> keks = new HashMap<>();
  private final List<Peer> processes = new ArrayList<>();
  private final Set<String> dropped = new HashSet<>();
  private long nonces;

  /// The keys that one process may load. Their bytes are the same in the whole fleet.
  final class Provider implements KekProvider {
    private final Set<Integer> versions = new HashSet<>();

    /// What happens to each key when it is loaded.
    UnaryOperator<Kek> wrapper = UnaryOperator.identity();

    Provider(int... versions) {
      add(versions);
    }

    void add(int... more) {
      IntStream.of(more).forEach(versions::add);
    }

    void remove(int version) {
      versions.remove(version);
    }

    @Override
    public String name() {
      return "env";
    }

    @Override
    public KekSet load() {
      return KekSet.of(
          KeyringName.MAIN, versions.stream().<Kek>map(it -> wrapper.apply(kek(v(it)))).toList());
    }

    @Override
    public void close() {}
  }

  /// One process: it writes heartbeats, seals, and drives rotations if it is a worker.
  public final class Peer {
    final Provider provider;
    final Membership membership;
    public final RotationLoop loop;
    public final KeyringOperations operations;
    public final RemovalOperations removals;
    final FleetOperations fleetOperations;
    final HoldOperations holds;
    public final KeyringStore keyring;
    final LoadedKeys keys;
    private final Map<String, Sealer> sealers = new HashMap<>();
    private final boolean isWorker;

    Peer(String name, String role, Failpoints failpoints, int... versions) {
      provider = new Provider(versions);
      keys = new LoadedKeys(KeyringName.MAIN, List.of(provider), RANDOM);
      keys.refresh();
      ProcessIdentity identity =
          new ProcessIdentity(
              new ProcessInfo(name, "run-" + nonce(), role, "0.1.0"),
              ProcessIdentity.PROTOCOL,
              null);
      membership =
          new Membership(
              identity,
              new Membership.StoreAccess(kv, RotationTestFleet.this::nonce),
              keys,
              RotationTestFleet.this::fenceMarks,
              RotationTestFleet.this::nanos);
      keyring =
          new KeyringStore(
              KeyringName.MAIN,
              kv,
              RotationTestFleet.this::nonce,
              failpoints,
              auditContext("somebody", name));
      CollectionCatalog catalog = new CollectionCatalog(keyring, it -> open(it), failpoints);
      loop = new RotationLoop(name, keyring, catalog, keys, RotationTestFleet.this::nanos);
      operations =
          new KeyringOperations(
              keyring,
              catalog,
              keys,
              RotationTestFleet.this::nonce,
              RANDOM,
              new ConflictRetry(new FleetTicker(), RANDOM));
      removals = new RemovalOperations(keyring, catalog, operations);
      fleetOperations = new FleetOperations(keyring, catalog, operations);
      holds =
          new HoldOperations(
              keyring, catalog, keys, RANDOM, new ConflictRetry(new FleetTicker(), RANDOM));
      isWorker = role.equals("worker");
      processes.add(this);
    }

    /// Sealing starts with the first heartbeat after the registration.
    Sealer sealer(String collection) {
      Sealer existing = sealers.get(collection);
      if (existing == null) {
        existing = newSealer(collection);
        existing.register();
        membership.runRound();
        sealers.put(collection, existing);
      }
      return existing;
    }

    private Sealer newSealer(String collection) {
      CollectionRegistration registration =
          new CollectionRegistration(KeyringName.MAIN, "fake", collection, List.of("card", "name"));
      collections.computeIfAbsent(collection, _ -> new FakeRecords());
      return new Sealer(
          registration,
          new CollectionRegistry(kv, RotationTestFleet.this::nonce),
          keys,
          membership::state,
          RotationTestFleet.this::nanos);
    }

    /// A new field of `collection`, sealed by this process.
    Bytes seal(String collection, String id, String field) {
      SealerResult answer =
          sealer(collection)
              .seal(new FieldLocation(collection, id, field), secret(field + " of " + id));
      return Bytes.copyOf(assertInstanceOf(SealerResult.Sealed.class, answer).envelope().toBytes());
    }

    StoredRecord record(String collection, String id) {
      return new StoredRecord(
          new RecordId(id),
          SealedFields.of(
              Map.of(
                  "name", seal(collection, id, "name"),
                  "card", seal(collection, id, "card"))));
    }

    RecordWriteResult put(String collection, String id) {
      StoredRecord made = record(collection, id);
      return records(collection).insert(made);
    }

    void stop() {
      processes.remove(this);
    }
  }

  Peer member(String name, int... versions) {
    return new Peer(name, "api", Failpoints.NONE, versions);
  }

  public Peer worker(String name, int... versions) {
    return worker(name, Failpoints.NONE, versions);
  }

  Peer worker(String name, Failpoints failpoints, int... versions) {
    return new Peer(name, "worker", failpoints, versions);
  }

  static AuditContext auditContext(String user, String instance) {
    return new AuditContext(
        new AuditActor(user, "host of " + instance, instance), InstantSource.fixed(TODAY));
  }

  public static KekVersion v(int number) {
    return new KekVersion(number);
  }

  private static SecretBytes secret(String text) {
    return SecretBytes.copyOf(text.getBytes(UTF_8));
  }

  private SoftwareKek kek(KekVersion version) {
    return keks.computeIfAbsent(
        version, it -> new SoftwareKek(it, SecretBytes.random(SoftwareKek.BYTES, RANDOM), RANDOM));
  }

  private String nonce() {
    return "n-" + nonces++;
  }

  /// A pause lasts as long as the fleet's clock says.
  private final class FleetTicker implements Ticker {
    @Override
    public long nanos() {
      return RotationTestFleet.this.nanos();
    }

    @Override
    public void pause(Duration duration) {
      advance(duration);
    }
  }

  long nanos() {
    return Duration.ofMillis(time.now().millis()).toNanos();
  }

  public FakeKv kv() {
    return kv;
  }

  Records records(String collection) {
    Records found = collections.get(collection);
    if (found == null) {
      throw new IllegalArgumentException("no collection " + collection);
    }
    return found;
  }

  private Optional<Records> open(CollectionRegistration registration) {
    String collection = registration.collection();
    checkNotDropped(collection);
    return Optional.ofNullable(collections.get(collection)).map(it -> droppable(collection, it));
  }

  private void checkNotDropped(String collection) {
    if (dropped.contains(collection)) {
      throw StoreRefusedException.noCollection("there is no table " + collection, "create it");
    }
  }

  private Records droppable(String collection, Records records) {
    return (Records)
        Proxy.newProxyInstance(
            Records.class.getClassLoader(),
            new Class<?>[] {Records.class},
            (_, method, args) -> {
              checkNotDropped(collection);
              return method.invoke(records, args);
            });
  }

  /// From now on its store answers that the table does not exist, also to a driver that has it
  /// open.
  void dropCollection(String collection) {
    dropped.add(collection);
  }

  /// Registers a cluster, as a plugin does before it serves.
  void registerCluster(String name) {
    new CollectionRegistry(kv, this::nonce)
        .register(CollectionRegistration.ofCluster(KeyringName.MAIN, name));
  }

  /// Remembers a plugin, as it does itself once it has joined.
  void rememberPlugin(String cluster, String instance) {
    new KnownPluginRegistry(kv, KeyringName.MAIN)
        .remember(
            new KnownPlugin(
                new KnownPlugin.Place(cluster, "host of " + instance, "/kms.sock"), instance));
  }

  /// From now on no process can reach the collection.
  Records removeCollection(String collection) {
    Records lost = records(collection);
    collections.remove(collection);
    return lost;
  }

  void restoreCollection(String collection, Records records) {
    collections.put(collection, records);
  }

  private Map<String, SafeHold.FenceMark> fenceMarks() {
    Map<String, SafeHold.FenceMark> fenceMarks = new HashMap<>();
    collections.forEach((name, records) ->
        records.fence().ifPresent(it -> fenceMarks.put(name, FenceMarks.of(it))));
    return fenceMarks;
  }

  void advance(Duration duration) {
    time.advance(duration);
  }

  /// Each process writes a heartbeat.
  void heartbeatAll() {
    List.copyOf(processes).forEach(it -> it.membership.runRound());
  }

  /// Version 1 is active, the others are announced, and all processes have joined.
  public void bootstrap(Peer operator) {
    bootstrap(operator, Keystore.Use.RECORDS);
  }

  void bootstrap(Peer operator, Keystore.Use use) {
    operator.provider.add(IntStream.rangeClosed(1, VERSIONS).toArray());
    operator.membership.runRound();
    for (int version = 1; version <= VERSIONS; version++) {
      assertInstanceOf(
          KeyringOperations.Done.class, operator.operations.announce(v(version), use, TIMINGS));
    }
    heartbeatAll();
    heartbeatAll();
  }

  public Keystore keystore() {
    return keystoreStore.read().orElseThrow().keystore();
  }

  /// Ticks the workers and advances the clock until the condition is met.
  void runUntil(Predicate<Keystore> isWanted) {
    for (int i = 0; i < MAX_ROUNDS; i++) {
      if (isWanted.test(keystore())) {
        return;
      }
      if (!tickWorkers(isWanted)) {
        advance(TIMINGS.heartbeat().dividedBy(2));
        heartbeatAll();
      }
    }
    throw new AssertionError(
        "the condition was never met; the rotation stays in " + keystore().rotation());
  }

  private boolean tickWorkers(Predicate<Keystore> isWanted) {
    boolean isBusy = false;
    for (Peer process : List.copyOf(processes)) {
      if (process.isWorker && !isWanted.test(keystore())) {
        isBusy |= process.loop.tick() == NextTick.IMMEDIATELY;
      }
    }
    return isBusy;
  }

  void runUntil(Class<? extends Rotation> phase) {
    runUntil(keystore -> phase.isInstance(keystore.rotation()));
  }

  public void runToEnd() {
    runUntil(keystore -> Rotation.unfinishedJob(keystore.rotation()).isEmpty());
  }

  /// All plaintexts in the stores by field location, with their versions.
  Map<String, String> contents() {
    EnvelopeCipher cipher =
        new EnvelopeCipher(
            KekSet.of(
                KeyringName.MAIN,
                IntStream.rangeClosed(1, VERSIONS).mapToObj(it -> kek(v(it))).toList()),
            RANDOM);
    Map<String, String> contents = new TreeMap<>();
    collections.forEach((name, records) -> {
      for (int version = 1; version <= VERSIONS; version++) {
        for (StoredRecord record : records.scan(v(version), Integer.MAX_VALUE)) {
          record
              .fields()
              .byName()
              .forEach((field, bytes) -> {
                FieldLocation location = new FieldLocation(name, record.id().value(), field);
                contents.put(location.toString(), open(cipher, location, bytes));
              });
        }
      }
    });
    return contents;
  }

  private static String open(EnvelopeCipher cipher, FieldLocation location, Bytes bytes) {
    Opened opened = assertInstanceOf(Opened.class, cipher.open(location, bytes.toArray()));
    return opened.version()
        + " "
        + new String(opened.plaintext().reveal(SecretAccess.granted()), UTF_8);
  }

  /// The same contents under another version.
  static Map<String, String> under(int version, Map<String, String> contents) {
    Map<String, String> moved = new TreeMap<>(contents);
    moved.replaceAll((_, text) -> text.replaceFirst("^v[0-9]+", "v" + version));
    return moved;
  }
}
