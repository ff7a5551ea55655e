package keyfleet.sim.rotation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import keyfleet.control.Failpoints;
import keyfleet.control.rotation.CollectionCatalog;
import keyfleet.control.rotation.KeyringStore;
import keyfleet.control.rotation.RotationLoop;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Heartbeat.ProcessInfo;
import keyfleet.keyring.SafeHold;
import keyfleet.keyring.Timings;
import keyfleet.member.MembershipState;
import keyfleet.member.MembershipState.Admitted;
import keyfleet.member.Sealer;
import keyfleet.member.document.CollectionRegistry;
import keyfleet.member.heartbeat.Membership;
import keyfleet.member.heartbeat.ProcessIdentity;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.sim.cipher.InMemoryKekProvider;
import keyfleet.sim.cipher.SeededSecureRandom;
import keyfleet.sim.fleet.InvariantViolation;
import keyfleet.sim.fleet.PortUser;
import keyfleet.sim.host.HostLoop;
import keyfleet.sim.host.SimulatedHost;
import keyfleet.sim.host.VirtualTimeScheduler;
import keyfleet.store.Bytes;
import keyfleet.store.Fence;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.StoredRecord;
import org.jspecify.annotations.Nullable;

/// A process of the fleet, through all its lives: a member that beats, and either an application or
/// a worker beside it.
final class MemberProcess implements SimulatedApplication.Observer {
  enum Kind {
    APPLICATION,
    WORKER
  }

  private static final long BEAT = 30 * VirtualTimeScheduler.SECOND;
  private static final long WRITE = 8 * VirtualTimeScheduler.SECOND;
  private static final long LOOK = 10 * VirtualTimeScheduler.SECOND;
  private static final long AT_ONCE = 5 * VirtualTimeScheduler.MILLI;

  private final SimulatedHost host;
  private final Kind kind;
  private final RotationStores keys;
  private final ExpectedValues told;
  private final InMemoryKekProvider cupboard = new InMemoryKekProvider();
  private int protocol = ProcessIdentity.PROTOCOL;
  private @Nullable Membership membership;
  private long roundBegan;

  MemberProcess(SimulatedHost host, Kind kind, RotationStores keys, ExpectedValues told) {
    this.host = host;
    this.kind = kind;
    this.keys = keys;
    this.told = told;
  }

  SimulatedHost host() {
    return host;
  }

  InMemoryKekProvider cupboard() {
    return cupboard;
  }

  void protocol(int newProtocol) {
    protocol = newProtocol;
  }

  boolean isCurrent() {
    return host.isUp() && protocol == ProcessIdentity.PROTOCOL;
  }

  /// A new life, with nothing in memory.
  void start() {
    host.start();
    host.startSlowly();
    LoadedKeys holder = new LoadedKeys(KeyringName.MAIN, List.of(cupboard), random("keys"));
    Membership joined = joined(holder);
    membership = joined;
    roundBegan = Long.MIN_VALUE / 2;
    switch (kind) {
      case APPLICATION -> startApp(holder, joined);
      case WORKER -> startWorker(holder);
    }
  }

  private Membership joined(LoadedKeys holder) {
    HostLoop loop = new HostLoop(host);
    String role = kind == Kind.WORKER ? "worker" : "api";
    ProcessIdentity processIdentity =
        new ProcessIdentity(
            new ProcessInfo(host.name() + "-" + host.life(), run(), role, "0"), protocol, null);
    Membership.StoreAccess storeAccess =
        new Membership.StoreAccess(keys.kv(PortUser.MEMBER, loop), nonces("member"));
    Membership joined =
        new Membership(
            processIdentity, storeAccess, holder, () -> fences(loop), clock(PortUser.MEMBER));
    loop.every(BEAT, () -> beat(joined));
    return joined;
  }

  private void beat(Membership joined) {
    long began = host.timeline().now();
    MembershipState before = joined.state();
    MembershipState after = joined.runRound();
    if (!after.equals(before)) {
      roundBegan = began;
    }
    host.note(after::description);
  }

  private Map<String, SafeHold.FenceMark> fences(HostLoop loop) {
    Map<String, SafeHold.FenceMark> fenceMarks = new HashMap<>();
    for (String collection : keys.collections()) {
      keys.records(PortUser.MEMBER, loop, collection)
          .flatMap(records -> records.fence())
          .map(Fence::term)
          .ifPresent(term ->
              fenceMarks.put(collection, new SafeHold.FenceMark(term.incarnation(), term.epoch())));
    }
    return fenceMarks;
  }

  private void startApp(LoadedKeys holder, Membership joined) {
    HostLoop loop = new HostLoop(host);
    String collection = host.dice().pick(keys.collections());
    CollectionRegistry collectionRegistry =
        new CollectionRegistry(keys.kv(PortUser.APPLICATION, loop), nonces("registry"));
    Sealer sealer =
        new Sealer(
            RotationStores.registration(collection),
            collectionRegistry,
            holder,
            joined::state,
            clock(PortUser.APPLICATION));
    SimulatedApplication app =
        new SimulatedApplication(
            collection,
            loop,
            sealer,
            keys.records(PortUser.APPLICATION, loop, collection).orElseThrow(),
            this);
    loop.every(WRITE, app::tick);
  }

  private void startWorker(LoadedKeys holder) {
    host.fences();
    HostLoop loop = new HostLoop(host);
    KeyringStore keyringStore =
        new KeyringStore(
            KeyringName.MAIN,
            keys.kv(PortUser.WORKER, loop),
            nonces("worker"),
            Failpoints.NONE,
            RotationStores.author(host));
    CollectionCatalog collectionCatalog =
        new CollectionCatalog(keyringStore, keys.stores(PortUser.WORKER, loop), Failpoints.NONE);
    RotationLoop rotations =
        new RotationLoop(
            host.name() + " " + run(),
            keyringStore,
            collectionCatalog,
            holder,
            clock(PortUser.WORKER));
    loop.paced(() -> rotations.tick() == RotationLoop.NextTick.IMMEDIATELY ? AT_ONCE : LOOK);
  }

  @Override
  public RecordWriteResult overwrite(HostLoop loop, String collection, StoredRecord next) {
    return keys.overwrite(loop, collection, next);
  }

  @Override
  public ExpectedValues told() {
    return told;
  }

  /// A host whose clock is wrong may well seal too late: then the fence has to do.
  @Override
  public void sealed() {
    long most = Timings.DEFAULT.lease().toNanos();
    if (keys.ports().promisesLease()
        && !host.clock().wasTampered()
        && host.timeline().now() - roundBegan > most) {
      throw new InvariantViolation("LEASE", host.name() + " seals without a lease");
    }
  }

  /// Bytes that were read long ago may be under a version that is gone by now; reading again helps.
  @Override
  public void notOpened(ExpectedValues.FieldSlot slot, Bytes bytes) {
    if (isAdmitted(Timings.DEFAULT.fresh().toNanos()) && keys.truth().isStored(slot, bytes)) {
      throw new InvariantViolation("P3", host.name() + " is admitted and cannot open a value");
    }
  }

  private String run() {
    return "run-" + host.life();
  }

  private Supplier<String> nonces(String purpose) {
    return keys.nonces(host.name() + purpose + host.life());
  }

  private SeededSecureRandom random(String purpose) {
    return new SeededSecureRandom(host.dice().named(purpose + host.life()));
  }

  private LongSupplier clock(PortUser part) {
    return keys.ports().clock(part, host.clock());
  }

  /// Whether it may seal, by a round that began within `window`: one who was silent for longer has
  /// to join again.
  boolean isAdmitted(long window) {
    Membership now = membership;
    return host.isUp()
        && now != null
        && now.state() instanceof Admitted
        && host.timeline().now() - roundBegan <= window;
  }

  boolean holds(KekVersion version) {
    return cupboard.holds(InMemoryKekProvider.right(version.number()));
  }
}
