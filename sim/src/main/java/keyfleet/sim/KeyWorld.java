package keyfleet.sim;

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
import keyfleet.store.FakeRecords;
import keyfleet.store.Kv;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.Records;
import keyfleet.store.StoredRecord;
import keyfleet.store.Unknown;

/// The stores of a key fleet as each of its loops gets them, and what is watched in them.
final class KeyWorld {
  private static final String ENGINE = "fake";

  private final World world;
  private final Ports ports;
  private final Kv kv;
  private final NavigableMap<String, Records> collections = new TreeMap<>();
  private final KeyTruth truth;

  KeyWorld(World world, Ports ports, Told told, KeyTruth.Readied readied) {
    this.world = world;
    this.ports = ports;
    int count = 1 + world.dice().named("collections").below(2);
    for (String name : List.of("secrets", "tokens").subList(0, count)) {
      collections.put(name, ports.records(Part.STORE, new FakeRecords()));
    }
    this.truth =
        new KeyTruth(collections, told, readied, new SimRandom(world.dice().named("truth")));
    this.kv = world.watched(ports, truth);
  }

  World world() {
    return world;
  }

  KeyTruth truth() {
    return truth;
  }

  Ports ports() {
    return ports;
  }

  List<String> collections() {
    return List.copyOf(collections.keySet());
  }

  static CollectionRegistration registration(String collection) {
    return new CollectionRegistration(KeyringName.MAIN, ENGINE, collection, App.FIELDS);
  }

  /// Whoever runs on the host. Dates are for people, and there are none here.
  static AuditContext author(Host host) {
    return new AuditContext(
        new AuditActor(host.name(), host.name(), host.name() + "-" + host.life()),
        InstantSource.fixed(Instant.EPOCH));
  }

  /// What somebody finds who looks at the audit, right at the store.
  AuditVerdict verdict() {
    KeyringStore keyringStore =
        new KeyringStore(
            KeyringName.MAIN,
            world.kv(),
            nonces("auditor"),
            Failpoints.NONE,
            author(world.host("auditor")));
    return keyringStore.audit().verify();
  }

  /// The store for one loop of a process.
  Kv kv(Part part, Loop loop) {
    HostKv.Reads reads =
        part == Part.WORKER || part == Part.OPERATOR ? world.anyReads() : HostKv.Reads.FRESH;
    return ports.kv(part, new HostKv(kv, loop, reads));
  }

  Optional<Records> records(Part part, Loop loop, String collection) {
    return Optional.ofNullable(collections.get(collection))
        .map(store -> new WatchedRecords(store, collection, part, truth))
        .map(watched -> ports.records(part, new HostRecords(watched, loop)));
  }

  /// Writes over whatever is there, as many an application does.
  RecordWriteResult overwrite(Loop loop, String collection, StoredRecord next) {
    Records store = collections.getOrDefault(collection, new FakeRecords());
    Records watched = new WatchedRecords(store, collection, Part.APPLICATION, truth);
    return new Wire(loop)
        .<RecordWriteResult>writeOnce(
            () ->
                store
                    .read(next.id())
                    .map(it -> watched.compareAndSet(new RecordChange(it, next.fields())))
                    .orElseGet(() -> watched.insert(next)),
            new Unknown());
  }

  CollectionOpener stores(Part part, Loop loop) {
    return collectionRegistration -> records(part, loop, collectionRegistration.collection());
  }

  /// Words that no other loop of this run says.
  Supplier<String> nonces(String name) {
    Dice dice = world.dice().named("nonces of " + name);
    return () -> Long.toHexString(dice.next());
  }
}
