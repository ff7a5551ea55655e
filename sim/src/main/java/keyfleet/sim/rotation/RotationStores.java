package keyfleet.sim.rotation;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import keyfleet.control.Failpoints;
import keyfleet.control.audit.AuditActor;
import keyfleet.control.audit.AuditContext;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.control.rewrap.CollectionOpener;
import keyfleet.control.rotation.KeyringStore;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.member.document.KeystoreDocument;
import keyfleet.sim.cipher.SeededSecureRandom;
import keyfleet.sim.fleet.ObservedWritesKv;
import keyfleet.sim.fleet.PortUser;
import keyfleet.sim.fleet.PortWrappers;
import keyfleet.sim.fleet.SimulatedWorld;
import keyfleet.sim.host.HostKv;
import keyfleet.sim.host.HostLoop;
import keyfleet.sim.host.HostRecords;
import keyfleet.sim.host.SeededRandom;
import keyfleet.sim.host.SimulatedHost;
import keyfleet.sim.host.StoreCalls;
import keyfleet.store.Document;
import keyfleet.store.FakeRecords;
import keyfleet.store.Kv;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.Records;
import keyfleet.store.StoredRecord;
import keyfleet.store.Unknown;

/// The stores of a rotation fleet, as each of its loops gets them; the oracle observes their
/// writes.
final class RotationStores {
  private static final String ENGINE = "fake";

  private final SimulatedWorld world;
  private final PortWrappers wrappers;
  private final Kv kv;
  private final NavigableMap<String, Records> collections = new TreeMap<>();
  private final RotationOracle oracle;

  RotationStores(
      SimulatedWorld world,
      PortWrappers wrappers,
      ExpectedValues expectedValues,
      RotationOracle.AdmittedProcesses admittedProcesses) {
    this.world = world;
    this.wrappers = wrappers;
    int count = 1 + world.random().forPurpose("collections").below(2);
    for (String name : List.of("secrets", "tokens").subList(0, count)) {
      collections.put(name, wrappers.wrapRecords(PortUser.STORE, new FakeRecords()));
    }
    this.oracle =
        new RotationOracle(
            collections,
            expectedValues,
            admittedProcesses,
            new SeededSecureRandom(world.random().forPurpose("truth")));
    this.kv = withObserver(world.kvWithTtlFaults());
  }

  /// The store, wrapped by the test; the oracle sees every keystore that is written.
  private Kv withObserver(Kv inner) {
    return new ObservedWritesKv(
        wrappers.wrapKv(PortUser.STORE, inner),
        (bucket, write) -> {
          if (bucket.name().equals("keystores")) {
            oracle.observeKeystore(KeystoreDocument.parse(Document.parse(write.value())));
          }
        });
  }

  SimulatedWorld world() {
    return world;
  }

  RotationOracle oracle() {
    return oracle;
  }

  PortWrappers wrappers() {
    return wrappers;
  }

  List<String> collections() {
    return List.copyOf(collections.keySet());
  }

  static CollectionRegistration registration(String collection) {
    return new CollectionRegistration(
        KeyringName.MAIN, ENGINE, collection, SimulatedApplication.FIELDS);
  }

  /// The author of the host's audit entries. Dates are for people only, so all are the same.
  static AuditContext author(SimulatedHost host) {
    return new AuditContext(
        new AuditActor(host.name(), host.name(), host.name() + "-" + host.generation()),
        InstantSource.fixed(Instant.EPOCH));
  }

  /// The verdict on the audit, read directly from the store.
  AuditVerdict auditVerdict() {
    KeyringStore keyringStore =
        new KeyringStore(
            KeyringName.MAIN,
            world.kv(),
            nonces("auditor"),
            Failpoints.NONE,
            author(world.host("auditor")));
    return keyringStore.keystores().reader().verify();
  }

  Kv kv(PortUser user, HostLoop loop) {
    HostKv.ReadMode readMode =
        user == PortUser.WORKER || user == PortUser.OPERATOR
            ? world.readMode()
            : HostKv.ReadMode.FRESH;
    return wrappers.wrapKv(user, new HostKv(kv, loop, readMode));
  }

  Optional<Records> records(PortUser user, HostLoop loop, String collection) {
    return Optional.ofNullable(collections.get(collection))
        .map(store -> new ObservedRecords(store, collection, user, oracle))
        .map(observed -> wrappers.wrapRecords(user, new HostRecords(observed, loop)));
  }

  /// Writes over whatever is stored, as many applications do.
  RecordWriteResult writeUnconditionally(HostLoop loop, String collection, StoredRecord next) {
    Records store = collections.getOrDefault(collection, new FakeRecords());
    Records observed = new ObservedRecords(store, collection, PortUser.APPLICATION, oracle);
    return new StoreCalls(loop)
        .<RecordWriteResult>writeOnce(
            () ->
                store
                    .read(next.id())
                    .map(it -> observed.compareAndSet(new RecordChange(it, next.fields())))
                    .orElseGet(() -> observed.insert(next)),
            new Unknown());
  }

  CollectionOpener stores(PortUser user, HostLoop loop) {
    return registration -> records(user, loop, registration.collection());
  }

  /// Nonces that no other loop of this run uses.
  Supplier<String> nonces(String name) {
    SeededRandom random = world.random().forPurpose("nonces of " + name);
    return () -> Long.toHexString(random.next());
  }
}
