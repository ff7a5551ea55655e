package keyfleet.sim;

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
import keyfleet.store.Bytes;
import keyfleet.store.Fence;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.StoredRecord;
import org.jspecify.annotations.Nullable;

/// A process of the fleet, through all its lives: a member that beats, and either an application or
/// a worker beside it.
final class KeyProcess implements App.Witness {
  enum Kind {
    APPLICATION,
    WORKER
  }

  private static final long BEAT = 30 * Timeline.SECOND;
  private static final long WRITE = 8 * Timeline.SECOND;
  private static final long LOOK = 10 * Timeline.SECOND;
  private static final long AT_ONCE = 5 * Timeline.MILLI;

  private final Host host;
  private final Kind kind;
  private final KeyWorld keys;
  private final Told told;
  private final Cupboard cupboard = new Cupboard();
  private int protocol = ProcessIdentity.PROTOCOL;
  private @Nullable Membership membership;
  private long roundBegan;

  KeyProcess(Host host, Kind kind, KeyWorld keys, Told told) {
    this.host = host;
    this.kind = kind;
    this.keys = keys;
    this.told = told;
  }

  Host host() {
    return host;
  }

  Cupboard cupboard() {
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
    Loop loop = new Loop(host);
    String role = kind == Kind.WORKER ? "worker" : "api";
    ProcessIdentity processIdentity =
        new ProcessIdentity(
            new ProcessInfo(host.name() + "-" + host.life(), run(), role, "0"), protocol, null);
    Membership.StoreAccess storeAccess =
        new Membership.StoreAccess(keys.kv(Part.MEMBER, loop), nonces("member"));
    Membership joined =
        new Membership(
            processIdentity, storeAccess, holder, () -> fences(loop), clock(Part.MEMBER));
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

  private Map<String, SafeHold.FenceMark> fences(Loop loop) {
    Map<String, SafeHold.FenceMark> fenceMarks = new HashMap<>();
    for (String collection : keys.collections()) {
      keys.records(Part.MEMBER, loop, collection)
          .flatMap(records -> records.fence())
          .map(Fence::term)
          .ifPresent(term ->
              fenceMarks.put(collection, new SafeHold.FenceMark(term.incarnation(), term.epoch())));
    }
    return fenceMarks;
  }

  private void startApp(LoadedKeys holder, Membership joined) {
    Loop loop = new Loop(host);
    String collection = host.dice().pick(keys.collections());
    CollectionRegistry collectionRegistry =
        new CollectionRegistry(keys.kv(Part.APPLICATION, loop), nonces("registry"));
    Sealer sealer =
        new Sealer(
            KeyWorld.registration(collection),
            collectionRegistry,
            holder,
            joined::state,
            clock(Part.APPLICATION));
    App app =
        new App(
            collection,
            loop,
            sealer,
            keys.records(Part.APPLICATION, loop, collection).orElseThrow(),
            this);
    loop.every(WRITE, app::tick);
  }

  private void startWorker(LoadedKeys holder) {
    host.fences();
    Loop loop = new Loop(host);
    KeyringStore keyringStore =
        new KeyringStore(
            KeyringName.MAIN,
            keys.kv(Part.WORKER, loop),
            nonces("worker"),
            Failpoints.NONE,
            KeyWorld.author(host));
    CollectionCatalog collectionCatalog =
        new CollectionCatalog(keyringStore, keys.stores(Part.WORKER, loop), Failpoints.NONE);
    RotationLoop rotations =
        new RotationLoop(
            host.name() + " " + run(), keyringStore, collectionCatalog, holder, clock(Part.WORKER));
    loop.paced(() -> rotations.tick() == RotationLoop.NextTick.IMMEDIATELY ? AT_ONCE : LOOK);
  }

  @Override
  public RecordWriteResult overwrite(Loop loop, String collection, StoredRecord next) {
    return keys.overwrite(loop, collection, next);
  }

  @Override
  public Told told() {
    return told;
  }

  /// A host whose clock is wrong may well seal too late: then the fence has to do.
  @Override
  public void sealed() {
    long most = Timings.DEFAULT.lease().toNanos();
    if (keys.ports().promisesLease()
        && !host.clock().wasTampered()
        && host.timeline().now() - roundBegan > most) {
      throw new BrokenPromise("LEASE", host.name() + " seals without a lease");
    }
  }

  /// Bytes that were read long ago may be under a version that is gone by now; reading again helps.
  @Override
  public void notOpened(Told.Slot slot, Bytes bytes) {
    if (isAdmitted(Timings.DEFAULT.fresh().toNanos()) && keys.truth().isStored(slot, bytes)) {
      throw new BrokenPromise("P3", host.name() + " is admitted and cannot open a value");
    }
  }

  private String run() {
    return "run-" + host.life();
  }

  private Supplier<String> nonces(String purpose) {
    return keys.nonces(host.name() + purpose + host.life());
  }

  private SimRandom random(String purpose) {
    return new SimRandom(host.dice().named(purpose + host.life()));
  }

  private LongSupplier clock(Part part) {
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
    return cupboard.holds(Cupboard.right(version.number()));
  }
}
