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

/// Applications, workers and operators of one keyring, on their way from version 1 to a later one.
public final class RotationFleet implements SimulatedFleet {
  private static final long LOOK = 10 * VirtualTimeScheduler.SECOND;
  private static final List<OperatorPlan.Habit> HABITS = List.of(OperatorPlan.Habit.values());

  /// One application comes late, and so do its keys.
  private static final long LATEST_START = 200 * VirtualTimeScheduler.SECOND;

  private static final long LATEST_KEY = 40 * VirtualTimeScheduler.SECOND;
  private static final Set<VersionState> GONE =
      EnumSet.of(VersionState.DESTROYING, VersionState.DESTROYED);
  private static final long FRESH = Timings.DEFAULT.fresh().toNanos();

  private final SimulatedWorld world;
  private final SeededRandom dice;
  private final ExpectedValues told = new ExpectedValues();
  private final RotationStores keys;
  private final OperatorPlan plan;
  private final List<MemberProcess> processes = new ArrayList<>();
  private final SimulatedHost clerk;
  private int meddlers;

  public RotationFleet(SimulatedWorld world, PortWrappers ports) {
    this.world = world;
    this.dice = world.dice().named("keys");
    this.keys = new RotationStores(world, ports, told, this::everyAdmittedHolds);
    this.plan =
        new OperatorPlan(
            2 + dice.below(RotationOracle.VERSIONS - 1), dice.pick(HABITS), this::shred);
    this.clerk = world.host("clerk");
    int apps = 1 + dice.below(3);
    for (int i = 0; i < apps; i++) {
      add("app-" + i, Kind.APPLICATION);
    }
    add("worker-0", Kind.WORKER);
    add("worker-1", Kind.WORKER);
  }

  private void add(String name, Kind kind) {
    processes.add(new MemberProcess(world.host(name), kind, keys, told));
  }

  @Override
  public void start() {
    for (MemberProcess process : processes) {
      process.cupboard().put(InMemoryKekProvider.right(1));
      boolean late = process.equals(processes.getFirst());
      in(late ? dice.between(0, LATEST_START) : 0, () -> revive(process));
      for (int version = 2; version <= plan.last(); version++) {
        FakeKek kek = InMemoryKekProvider.right(version);
        long wait = dice.between(0, late ? LATEST_START : LATEST_KEY) * (version - 1) / 2;
        in(wait, () -> bring(process, kek));
      }
    }
    sitDown();
  }

  private static void bring(MemberProcess process, FakeKek kek) {
    process.host().note(() -> "gets " + kek.version());
    process.cupboard().put(kek);
  }

  private void sitDown() {
    clerk.start();
    RotationOperator desk = new RotationOperator(clerk, keys);
    desk.every(LOOK, () -> plan.pursue(desk));
  }

  @Override
  public void strike(Fault fault) {
    int target = fault.target() % (processes.size() + 1);
    if (target == processes.size()) {
      strikeClerk(fault);
      return;
    }
    MemberProcess process = processes.get(target);
    process.host().suffer(fault);
    switch (fault.kind()) {
      case CRASH, LOST_SUFFIX -> in(fault.lasts(), () -> revive(process));
      case KEY_LOST -> in(fault.lasts(), () -> reviveWithout(process, fault));
      case PROVIDER -> {
        process.cupboard().stick();
        in(fault.lasts(), process.cupboard()::mend);
      }
      case OLD_BINARY -> {
        restart(process, 0);
        in(fault.lasts(), () -> restart(process, ProcessIdentity.PROTOCOL));
      }
      case OPERATOR -> meddle(fault);
      default -> {} // the host suffers it
    }
  }

  private void strikeClerk(Fault fault) {
    clerk.suffer(fault);
    if (fault.kind() == Fault.Kind.CRASH) {
      in(fault.lasts(), () -> sitDownIfGone());
    }
    if (fault.kind() == Fault.Kind.OPERATOR) {
      meddle(fault);
    }
  }

  private void sitDownIfGone() {
    if (!clerk.isUp()) {
      sitDown();
    }
  }

  private void in(long nanos, Runnable act) {
    world.timeline().in(nanos, act);
  }

  private static void revive(MemberProcess process) {
    if (!process.host().isUp()) {
      process.start();
    }
  }

  /// The newest key is missing after the restart, or has other bytes.
  private void reviveWithout(MemberProcess process, Fault fault) {
    if (process.host().isUp()) {
      return;
    }
    int version = 1 + (int) (fault.choice() % plan.last());
    process.cupboard().remove(new KekVersion(version));
    if (fault.choice() % 2 == 0) {
      process.cupboard().put(InMemoryKekProvider.wrong(version));
    }
    process.start();
    in(fault.lasts(), () -> giveBack(process, version));
  }

  /// Bytes in memory never change: who has the wrong ones must start again.
  private void giveBack(MemberProcess process, int version) {
    if (!isGone(new KekVersion(version)) && process.host().isUp()) {
      process.cupboard().put(InMemoryKekProvider.right(version));
      restart(process, ProcessIdentity.PROTOCOL);
    }
  }

  private static void restart(MemberProcess process, int protocol) {
    if (process.host().isUp()) {
      process.host().crash();
    }
    process.protocol(protocol);
    process.start();
  }

  /// Somebody else gives one order.
  private void meddle(Fault fault) {
    SimulatedHost host = world.host("meddler-" + meddlers++);
    host.start();
    RotationOperator desk = new RotationOperator(host, keys);
    KekVersion some = new KekVersion(1 + (int) (fault.choice() / 16 % plan.last()));
    desk.once(() ->
        switch ((int) (fault.choice() % 8)) {
          case 0, 1, 2 -> desk.orders().abort();
          case 3 -> desk.orders().pause();
          case 4 -> desk.orders().dryRun(active(), next(active()));
          case 5 -> desk.orders().revoke(active(), next(active()));
          case 6 -> desk.removals().disable(some);
          default ->
              fault.choice() / 8 % 2 == 0
                  ? desk.removals().undo(some)
                  : desk.removals().destroy(some, Duration.ZERO);
        });
  }

  private KekVersion active() {
    return keys.truth().keystore().map(Keystore::active).orElse(new KekVersion(1));
  }

  private static KekVersion next(KekVersion version) {
    return new KekVersion(version.number() + 1);
  }

  /// The bytes of a version are gone, everywhere.
  private void shred(KekVersion version) {
    world.note("clerk", "shreds " + version);
    processes.forEach(process -> process.cupboard().remove(version));
  }

  private boolean everyAdmittedHolds(KekVersion version) {
    return processes.stream().allMatch(it -> !it.isAdmitted(FRESH) || it.holds(version));
  }

  /// Who sleeps wakes, with all that it remembers. Who is down, or runs what it should not, starts
  /// again.
  @Override
  public void calm() {
    for (MemberProcess process : processes) {
      process.host().heal();
      process.cupboard().mend();
      if (restock(process) || !process.isCurrent()) {
        restart(process, ProcessIdentity.PROTOCOL);
      }
    }
    clerk.heal();
    sitDownIfGone();
  }

  /// Whether the process lacked a key.
  private boolean restock(MemberProcess process) {
    boolean lacked = false;
    for (int version = 1; version <= plan.last(); version++) {
      FakeKek kek = InMemoryKekProvider.right(version);
      if (!isGone(kek.version()) && !process.cupboard().holds(kek)) {
        process.cupboard().put(kek);
        lacked = true;
      }
    }
    return lacked;
  }

  private boolean isGone(KekVersion version) {
    return keys.truth()
        .keystore()
        .flatMap(keystore -> keystore.stateOf(version))
        .filter(GONE::contains)
        .isPresent();
  }

  @Override
  public void check() {}

  @Override
  public Optional<Supplier<String>> unfinished() {
    return keys.truth()
        .keystore()
        .map(plan::unfinished)
        .orElse(Optional.of(() -> "there is no keystore"));
  }

  @Override
  public void checkEnd() {
    keys.truth().requireReadable();
    keys.truth().requireFenced();
    keys.truth().requireAudited(keys.verdict());
  }
}
