package keyfleet.sim;

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
import keyfleet.sim.KeyProcess.Kind;

/// Applications, workers and operators of one keyring, on their way from version 1 to a later one.
final class KeyFleet implements Fleet {
  private static final long LOOK = 10 * Timeline.SECOND;
  private static final List<KeyPlan.Habit> HABITS = List.of(KeyPlan.Habit.values());

  /// One application comes late, and so do its keys.
  private static final long LATEST_START = 200 * Timeline.SECOND;

  private static final long LATEST_KEY = 40 * Timeline.SECOND;
  private static final Set<VersionState> GONE =
      EnumSet.of(VersionState.DESTROYING, VersionState.DESTROYED);
  private static final long FRESH = Timings.DEFAULT.fresh().toNanos();

  private final World world;
  private final Dice dice;
  private final Told told = new Told();
  private final KeyWorld keys;
  private final KeyPlan plan;
  private final List<KeyProcess> processes = new ArrayList<>();
  private final Host clerk;
  private int meddlers;

  KeyFleet(World world, Ports ports) {
    this.world = world;
    this.dice = world.dice().named("keys");
    this.keys = new KeyWorld(world, ports, told, this::everyAdmittedHolds);
    this.plan = new KeyPlan(2 + dice.below(KeyTruth.VERSIONS - 1), dice.pick(HABITS), this::shred);
    this.clerk = world.host("clerk");
    int apps = 1 + dice.below(3);
    for (int i = 0; i < apps; i++) {
      add("app-" + i, Kind.APPLICATION);
    }
    add("worker-0", Kind.WORKER);
    add("worker-1", Kind.WORKER);
  }

  private void add(String name, Kind kind) {
    processes.add(new KeyProcess(world.host(name), kind, keys, told));
  }

  @Override
  public void start() {
    for (KeyProcess process : processes) {
      process.cupboard().put(Cupboard.right(1));
      boolean late = process.equals(processes.getFirst());
      in(late ? dice.between(0, LATEST_START) : 0, () -> revive(process));
      for (int version = 2; version <= plan.last(); version++) {
        SimKek kek = Cupboard.right(version);
        long wait = dice.between(0, late ? LATEST_START : LATEST_KEY) * (version - 1) / 2;
        in(wait, () -> bring(process, kek));
      }
    }
    sitDown();
  }

  private static void bring(KeyProcess process, SimKek kek) {
    process.host().note(() -> "gets " + kek.version());
    process.cupboard().put(kek);
  }

  private void sitDown() {
    clerk.start();
    KeyDesk desk = new KeyDesk(clerk, keys);
    desk.every(LOOK, () -> plan.pursue(desk));
  }

  @Override
  public void strike(Fault fault) {
    int target = fault.target() % (processes.size() + 1);
    if (target == processes.size()) {
      strikeClerk(fault);
      return;
    }
    KeyProcess process = processes.get(target);
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

  private static void revive(KeyProcess process) {
    if (!process.host().isUp()) {
      process.start();
    }
  }

  /// The newest key is missing after the restart, or has other bytes.
  private void reviveWithout(KeyProcess process, Fault fault) {
    if (process.host().isUp()) {
      return;
    }
    int version = 1 + (int) (fault.choice() % plan.last());
    process.cupboard().remove(new KekVersion(version));
    if (fault.choice() % 2 == 0) {
      process.cupboard().put(Cupboard.wrong(version));
    }
    process.start();
    in(fault.lasts(), () -> giveBack(process, version));
  }

  /// Bytes in memory never change: who has the wrong ones must start again.
  private void giveBack(KeyProcess process, int version) {
    if (!isGone(new KekVersion(version)) && process.host().isUp()) {
      process.cupboard().put(Cupboard.right(version));
      restart(process, ProcessIdentity.PROTOCOL);
    }
  }

  private static void restart(KeyProcess process, int protocol) {
    if (process.host().isUp()) {
      process.host().crash();
    }
    process.protocol(protocol);
    process.start();
  }

  /// Somebody else gives one order.
  private void meddle(Fault fault) {
    Host host = world.host("meddler-" + meddlers++);
    host.start();
    KeyDesk desk = new KeyDesk(host, keys);
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
    for (KeyProcess process : processes) {
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
  private boolean restock(KeyProcess process) {
    boolean lacked = false;
    for (int version = 1; version <= plan.last(); version++) {
      SimKek kek = Cupboard.right(version);
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
