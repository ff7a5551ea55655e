package keyfleet.sim.rotation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionRemoval.FenceWaiver;
import keyfleet.keyring.VersionState;
import keyfleet.member.heartbeat.ProcessIdentity;
import keyfleet.sim.cipher.FakeKek;
import keyfleet.sim.cipher.InMemoryKekProvider;
import keyfleet.sim.fleet.PortWrappers;
import keyfleet.sim.fleet.SimulatedFleet;
import keyfleet.sim.fleet.SimulatedWorld;
import keyfleet.sim.host.Fault;
import keyfleet.sim.host.SeededRandom;
import keyfleet.sim.host.SimulatedHost;
import keyfleet.sim.host.VirtualTimeScheduler;
import keyfleet.sim.rotation.MemberProcess.Kind;

/// Applications, workers and operators of one keyring that rotate from version 1 to a later one.
public final class RotationFleet implements SimulatedFleet {
  private static final int MAX_TARGET = 4;
  private static final int MAX_WITHDRAWN = 1;
  private static final long OPERATOR_PERIOD = 10 * VirtualTimeScheduler.SECOND;
  private static final List<OperatorPlan.Habit> HABITS = List.of(OperatorPlan.Habit.values());

  /// One application starts late, and its keys arrive late.
  private static final long MAX_START_DELAY = 200 * VirtualTimeScheduler.SECOND;

  private static final long RESTART_TIME = 5 * VirtualTimeScheduler.SECOND;
  private static final long MAX_KEY_DELAY = 40 * VirtualTimeScheduler.SECOND;
  private static final Set<VersionState> GONE =
      EnumSet.of(VersionState.DESTROYING, VersionState.DESTROYED);
  private static final long FRESH = Timings.DEFAULT.fresh().toNanos();

  private final SimulatedWorld world;
  private final SeededRandom random;
  private final ExpectedValues expectedValues = new ExpectedValues();
  private final RotationStores stores;
  private final StoreRestore storeRestore;
  private final OperatorPlan plan;
  private final List<MemberProcess> processes = new ArrayList<>();

  /// The last version that processes hold keys of.
  private final int lastVersion;

  private final SimulatedHost operatorHost;
  private int disruptions;

  public RotationFleet(SimulatedWorld world, PortWrappers wrappers) {
    this(world, wrappers, StoreRestore.Plan.SOMETIMES);
  }

  /// A fleet beside others on one store, which is never restored.
  public static RotationFleet sharingStore(SimulatedWorld world) {
    return new RotationFleet(world, PortWrappers.NONE, StoreRestore.Plan.NEVER);
  }

  private RotationFleet(SimulatedWorld world, PortWrappers wrappers, StoreRestore.Plan restores) {
    this.world = world;
    this.random = world.random().forPurpose("keys");
    this.stores = new RotationStores(world, wrappers, expectedValues, this::isHeldByAllAdmitted);
    this.storeRestore = new StoreRestore(world, stores, restores);
    this.plan =
        new OperatorPlan(
            2 + random.below(MAX_TARGET - 1), random.pick(HABITS), storeRestore, this::shredKey);
    boolean hasSpareKeys = storeRestore.isPending() || world.hasFaults(Fault.Kind.OPERATOR);
    this.lastVersion = hasSpareKeys ? RotationOracle.MAX_VERSIONS : plan.targetVersion();
    this.operatorHost = world.host("clerk");
    int apps = 1 + random.below(3);
    for (int i = 0; i < apps; i++) {
      addProcess("app-" + i, Kind.APPLICATION);
    }
    addProcess("worker-0", Kind.WORKER);
    addProcess("worker-1", Kind.WORKER);
  }

  private void addProcess(String name, Kind kind) {
    processes.add(new MemberProcess(world.host(name), kind, stores, expectedValues));
  }

  @Override
  public void start() {
    for (MemberProcess process : processes) {
      process.keyProvider().put(InMemoryKekProvider.genuineKek(1));
      boolean isLate = process.equals(processes.getFirst());
      schedule(isLate ? random.between(0, MAX_START_DELAY) : 0, () -> startIfDown(process));
      for (int version = 2; version <= plan.targetVersion(); version++) {
        FakeKek kek = InMemoryKekProvider.genuineKek(version);
        long wait = random.between(0, isLate ? MAX_START_DELAY : MAX_KEY_DELAY) * (version - 1) / 2;
        schedule(wait, () -> giveKey(process, kek));
      }
      giveSpareKeys(process);
    }
    storeRestore.schedule(this::restore);
    startOperator();
  }

  /// The keys of versions beyond the target, for versions that take the place of withdrawn or lost
  /// ones.
  private void giveSpareKeys(MemberProcess process) {
    SeededRandom waits = world.random().forPurpose("spare keys of " + process.host().name());
    for (int version = plan.targetVersion() + 1; version <= lastVersion; version++) {
      FakeKek kek = InMemoryKekProvider.genuineKek(version);
      schedule(waits.between(0, MAX_KEY_DELAY), () -> giveKey(process, kek));
    }
  }

  /// As the documentation says: every process stops, the store is restored, every process starts.
  private void restore(Runnable rollback) {
    List<MemberProcess> running = processes.stream().filter(it -> it.host().isUp()).toList();
    running.forEach(it -> it.host().crash());
    operatorHost.crash();
    rollback.run();
    running.forEach(it -> schedule(RESTART_TIME, () -> startIfDown(it)));
    schedule(RESTART_TIME, this::startOperatorIfDown);
  }

  private static void giveKey(MemberProcess process, FakeKek kek) {
    process.host().note(() -> "gets " + kek.version());
    process.keyProvider().put(kek);
  }

  private void startOperator() {
    operatorHost.start();
    RotationOperator operator = new RotationOperator(operatorHost, stores);
    operator.orderLoop().orderEvery(OPERATOR_PERIOD, () -> plan.orderNextStep(operator));
  }

  @Override
  public void inject(Fault fault) {
    int target = fault.target() % (processes.size() + 1);
    if (target == processes.size()) {
      injectIntoOperator(fault);
      return;
    }
    MemberProcess process = processes.get(target);
    process.host().inject(fault);
    switch (fault.kind()) {
      case CRASH, LOST_SUFFIX -> schedule(fault.duration(), () -> startIfDown(process));
      case KEY_LOST -> schedule(fault.duration(), () -> startWithoutKey(process, fault));
      case PROVIDER -> {
        process.keyProvider().makeUnavailable();
        schedule(fault.duration(), process.keyProvider()::makeAvailable);
      }
      case OLD_BINARY -> {
        restart(process, 0);
        schedule(fault.duration(), () -> restart(process, ProcessIdentity.PROTOCOL));
      }
      case OPERATOR -> giveDisruptiveOrder(fault);
      default -> {} // the host applies it
    }
  }

  private void injectIntoOperator(Fault fault) {
    operatorHost.inject(fault);
    if (fault.kind() == Fault.Kind.CRASH) {
      schedule(fault.duration(), () -> startOperatorIfDown());
    }
    if (fault.kind() == Fault.Kind.OPERATOR) {
      giveDisruptiveOrder(fault);
    }
  }

  private void startOperatorIfDown() {
    if (!operatorHost.isUp()) {
      startOperator();
    }
  }

  private void schedule(long nanos, Runnable action) {
    world.scheduler().schedule(nanos, action);
  }

  private static void startIfDown(MemberProcess process) {
    if (!process.host().isUp()) {
      process.start();
    }
  }

  /// Restarts the process with one key missing or replaced by other bytes.
  private void startWithoutKey(MemberProcess process, Fault fault) {
    if (process.host().isUp()) {
      return;
    }
    int version = 1 + (int) (fault.choice() % plan.targetVersion());
    process.keyProvider().remove(new KekVersion(version));
    if (fault.choice() % 2 == 0) {
      process.keyProvider().put(InMemoryKekProvider.forgedKek(version));
    }
    process.start();
    schedule(fault.duration(), () -> returnKey(process, version));
  }

  /// A process never replaces a key in memory: with the wrong bytes it must restart.
  private void returnKey(MemberProcess process, int version) {
    if (!isGone(new KekVersion(version)) && process.host().isUp()) {
      process.keyProvider().put(InMemoryKekProvider.genuineKek(version));
      restart(process, ProcessIdentity.PROTOCOL);
    }
  }

  private static void restart(MemberProcess process, int protocol) {
    if (process.host().isUp()) {
      process.host().crash();
    }
    process.setProtocol(protocol);
    process.start();
  }

  /// A second operator gives one order.
  private void giveDisruptiveOrder(Fault fault) {
    SimulatedHost host = world.host("meddler-" + disruptions++);
    host.start();
    RotationOperator operator = new RotationOperator(host, stores);
    KekVersion anyVersion = new KekVersion(1 + (int) (fault.choice() / 16 % plan.targetVersion()));
    int rareOrder = (int) (fault.choice() / 512 % 6);
    if (rareOrder < 3 && fault.choice() % 8 > 2) {
      operator
          .orderLoop()
          .orderOnce(() ->
              switch (rareOrder) {
                case 0 -> withdraw(operator, anyVersion);
                case 1 -> operator.orders().rotate(active(), next(active()));
                default -> operator.holds().adoptFences();
              });
      return;
    }
    operator
        .orderLoop()
        .orderOnce(() ->
            switch ((int) (fault.choice() % 8)) {
              case 0, 1, 2 -> operator.orders().abort();
              case 3 -> operator.orders().pause();
              case 4 -> operator.orders().dryRun(active(), next(active()));
              case 5 -> operator.orders().revoke(active(), next(active()));
              case 6 -> operator.removals().disable(anyVersion);
              default ->
                  fault.choice() / 8 % 2 == 0 || storeRestore.isPending()
                      ? operator.removals().undo(anyVersion)
                      : operator.removals().destroy(anyVersion, Duration.ZERO, FenceWaiver.NONE);
            });
  }

  private Object withdraw(RotationOperator operator, KekVersion version) {
    long withdrawn =
        stores.oracle().keystore().stream()
            .flatMap(it -> it.versions().values().stream())
            .filter(it -> it.state() == VersionState.WITHDRAWN)
            .count();
    return withdrawn < MAX_WITHDRAWN ? operator.orders().withdraw(version) : "enough withdrawn";
  }

  private KekVersion active() {
    return stores.oracle().keystore().map(Keystore::active).orElse(new KekVersion(1));
  }

  private static KekVersion next(KekVersion version) {
    return new KekVersion(version.number() + 1);
  }

  /// Deletes the bytes of a version on every host.
  private void shredKey(KekVersion version) {
    world.note("clerk", "deletes the bytes of " + version);
    processes.forEach(process -> process.keyProvider().remove(version));
  }

  private boolean isHeldByAllAdmitted(KekVersion version) {
    return processes.stream().allMatch(it -> !it.isAdmitted(FRESH) || it.hasKey(version));
  }

  /// A paused process continues with its memory. A process that is down, or runs an old version,
  /// starts again.
  @Override
  public void heal() {
    for (MemberProcess process : processes) {
      process.host().heal();
      process.keyProvider().makeAvailable();
      boolean wasMissing = process.keyProvider().restoreGenuineKeks(lastVersion, this::isGone);
      if (wasMissing || !process.isCurrent()) {
        restart(process, ProcessIdentity.PROTOCOL);
      }
    }
    operatorHost.heal();
    startOperatorIfDown();
  }

  private boolean isGone(KekVersion version) {
    return stores
        .oracle()
        .keystore()
        .flatMap(keystore -> keystore.stateOf(version))
        .filter(GONE::contains)
        .isPresent();
  }

  @Override
  public void checkInvariants() {}

  @Override
  public Optional<Supplier<String>> unfinishedWork() {
    return stores
        .oracle()
        .keystore()
        .map(plan::unfinishedWork)
        .orElse(Optional.of(() -> "there is no keystore"));
  }

  @Override
  public void checkFinalInvariants() {
    stores.oracle().requireReadable();
    stores.oracle().requireFenced();
    stores.oracle().requireAudited(stores.auditVerdict());
  }
}
