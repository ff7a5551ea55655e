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
import keyfleet.member.document.FenceMarks;
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
import keyfleet.store.RecordWriteResult;
import keyfleet.store.StoredRecord;
import org.jspecify.annotations.Nullable;

/// A process of the fleet, through all its restarts: a member with its heartbeat, and an
/// application or a worker.
final class MemberProcess implements SimulatedApplication.Observer {
  enum Kind {
    APPLICATION,
    WORKER
  }

  private static final long HEARTBEAT_PERIOD = 30 * VirtualTimeScheduler.SECOND;
  private static final long WRITE_PERIOD = 8 * VirtualTimeScheduler.SECOND;
  private static final long WORKER_PERIOD = 10 * VirtualTimeScheduler.SECOND;
  private static final long AT_ONCE = 5 * VirtualTimeScheduler.MILLI;

  private final SimulatedHost host;
  private final Kind kind;
  private final RotationStores stores;
  private final ExpectedValues expectedValues;
  private final InMemoryKekProvider keyProvider = new InMemoryKekProvider();
  private int protocol = ProcessIdentity.PROTOCOL;
  private @Nullable Membership membership;
  private long roundStartedAt;

  MemberProcess(
      SimulatedHost host, Kind kind, RotationStores stores, ExpectedValues expectedValues) {
    this.host = host;
    this.kind = kind;
    this.stores = stores;
    this.expectedValues = expectedValues;
  }

  SimulatedHost host() {
    return host;
  }

  InMemoryKekProvider keyProvider() {
    return keyProvider;
  }

  void setProtocol(int newProtocol) {
    protocol = newProtocol;
  }

  boolean isCurrent() {
    return host.isUp() && protocol == ProcessIdentity.PROTOCOL;
  }

  /// Starts the process with nothing in memory.
  void start() {
    host.start();
    host.maybeStartSlowly();
    LoadedKeys loadedKeys = new LoadedKeys(KeyringName.MAIN, List.of(keyProvider), random("keys"));
    Membership newMembership = join(loadedKeys);
    membership = newMembership;
    roundStartedAt = Long.MIN_VALUE / 2;
    switch (kind) {
      case APPLICATION -> startApplication(loadedKeys, newMembership);
      case WORKER -> startWorker(loadedKeys);
    }
  }

  private Membership join(LoadedKeys loadedKeys) {
    HostLoop loop = new HostLoop(host);
    String role = kind == Kind.WORKER ? "worker" : "api";
    ProcessIdentity identity =
        new ProcessIdentity(
            new ProcessInfo(host.name() + "-" + host.generation(), runId(), role, "0"),
            protocol,
            null);
    Membership.StoreAccess access =
        new Membership.StoreAccess(stores.kv(PortUser.MEMBER, loop), nonces("member"));
    Membership newMembership =
        new Membership(
            identity, access, loadedKeys, () -> fenceMarks(loop), clock(PortUser.MEMBER));
    loop.runEvery(HEARTBEAT_PERIOD, () -> runHeartbeat(newMembership));
    return newMembership;
  }

  private void runHeartbeat(Membership newMembership) {
    long startedAt = host.scheduler().now();
    MembershipState before = newMembership.state();
    MembershipState after = newMembership.runRound();
    if (!after.equals(before)) {
      roundStartedAt = startedAt;
    }
    host.note(after::description);
  }

  private Map<String, SafeHold.FenceMark> fenceMarks(HostLoop loop) {
    Map<String, SafeHold.FenceMark> fenceMarks = new HashMap<>();
    for (String collection : stores.collections()) {
      stores
          .records(PortUser.MEMBER, loop, collection)
          .flatMap(records -> records.fence())
          .ifPresent(it -> fenceMarks.put(collection, FenceMarks.of(it)));
    }
    return fenceMarks;
  }

  private void startApplication(LoadedKeys loadedKeys, Membership newMembership) {
    HostLoop loop = new HostLoop(host);
    String collection = host.random().pick(stores.collections());
    CollectionRegistry collectionRegistry =
        new CollectionRegistry(stores.kv(PortUser.APPLICATION, loop), nonces("registry"));
    Sealer sealer =
        new Sealer(
            RotationStores.registration(collection),
            collectionRegistry,
            loadedKeys,
            newMembership::state,
            clock(PortUser.APPLICATION));
    SimulatedApplication application =
        new SimulatedApplication(
            collection,
            loop,
            sealer,
            stores.records(PortUser.APPLICATION, loop, collection).orElseThrow(),
            this);
    loop.runEvery(WRITE_PERIOD, application::tick);
  }

  private void startWorker(LoadedKeys loadedKeys) {
    host.setRaisesFences();
    HostLoop loop = new HostLoop(host);
    KeyringStore keyringStore =
        new KeyringStore(
            KeyringName.MAIN,
            stores.kv(PortUser.WORKER, loop),
            nonces("worker"),
            Failpoints.NONE,
            RotationStores.author(host));
    CollectionCatalog catalog =
        new CollectionCatalog(keyringStore, stores.stores(PortUser.WORKER, loop), Failpoints.NONE);
    RotationLoop rotations =
        new RotationLoop(
            host.name() + " " + runId(), keyringStore, catalog, loadedKeys, clock(PortUser.WORKER));
    loop.runPaced(
        () -> rotations.tick() == RotationLoop.NextTick.IMMEDIATELY ? AT_ONCE : WORKER_PERIOD);
  }

  @Override
  public RecordWriteResult writeUnconditionally(
      HostLoop loop, String collection, StoredRecord next) {
    return stores.writeUnconditionally(loop, collection, next);
  }

  @Override
  public ExpectedValues expectedValues() {
    return expectedValues;
  }

  /// A process whose clock is wrong may seal too late; then the fence must stop the write.
  @Override
  public void checkLeaseAfterSeal() {
    if (stores.oracle().isHeld()) {
      throw new InvariantViolation("P15", host.name() + " seals while the keystore is held");
    }
    long lease = Timings.DEFAULT.lease().toNanos();
    if (stores.wrappers().hasWriteLease()
        && !host.clock().hasBeenWrong()
        && host.scheduler().now() - roundStartedAt > lease) {
      throw new InvariantViolation("LEASE", host.name() + " seals without a lease");
    }
  }

  /// Bytes that were read long ago may be under a version that no longer exists; only the bytes
  /// that are stored now must open.
  @Override
  public void checkUnopened(ExpectedValues.FieldSlot slot, Bytes bytes) {
    if (isAdmitted(Timings.DEFAULT.fresh().toNanos()) && stores.oracle().isStored(slot, bytes)) {
      throw new InvariantViolation("P3", host.name() + " is admitted and cannot open a value");
    }
  }

  private String runId() {
    return "run-" + host.generation();
  }

  private Supplier<String> nonces(String purpose) {
    return stores.nonces(host.name() + purpose + host.generation());
  }

  private SeededSecureRandom random(String purpose) {
    return new SeededSecureRandom(host.random().forPurpose(purpose + host.generation()));
  }

  private LongSupplier clock(PortUser user) {
    return stores.wrappers().wrapClock(user, host.clock());
  }

  /// Whether the process may seal because its last heartbeat round began within `window`. A process
  /// that was silent for longer must join again.
  boolean isAdmitted(long window) {
    Membership current = membership;
    return host.isUp()
        && current != null
        && current.state() instanceof Admitted
        && host.scheduler().now() - roundStartedAt <= window;
  }

  boolean hasKey(KekVersion version) {
    return keyProvider.has(InMemoryKekProvider.genuineKek(version.number()));
  }
}
