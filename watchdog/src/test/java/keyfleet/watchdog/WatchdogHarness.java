package keyfleet.watchdog;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.rollout.Component;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.Goal;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.Task;
import keyfleet.rollout.target.Facts;
import keyfleet.store.Document;
import keyfleet.store.Entry;
import keyfleet.store.FakeKv;
import keyfleet.store.FakeStoreClock;
import keyfleet.store.Revision;
import keyfleet.store.UnreliableKv;
import keyfleet.store.UnreliableKv.Fault;
import keyfleet.wire.DesiredStateDocument;
import keyfleet.wire.NodeReportDocument;
import keyfleet.wire.RolloutKeys;

/// One node with its watchdog, a store, and orders from a simulated driver. Time passes in steps of
/// one second; the watchdog ticks when it asks to.
final class WatchdogHarness {
  static final Sha256 OLD = new Sha256("0".repeat(64));
  static final Sha256 NEW = new Sha256("1".repeat(64));
  static final WatchdogIdentity IDENTITY =
      new WatchdogIdentity(new NodeId("web1"), new Component("agent"), 1, Facts.NONE);
  static final Duration SOAK = Duration.ofMinutes(1);
  static final Duration DEADLINE = Duration.ofMinutes(5);
  static final Duration HEALTH_WAIT = Duration.ofSeconds(30);

  final CrashInjector crashes = new CrashInjector();
  final FakeStoreClock storeClock = new FakeStoreClock();
  final FakeKv store = new FakeKv(storeClock);
  final FakeNodeClock clock = new FakeNodeClock();
  final FakeJournalStore journal = new FakeJournalStore(crashes);
  final FakeReleaseSlots slots = new FakeReleaseSlots(OLD, crashes);
  final FakeReleaseFetcher fetcher = new FakeReleaseFetcher(slots, crashes);
  final FakeHealthProbe probe = new FakeHealthProbe(slots);
  final CrashInjectingKv kv;
  private Watchdog watchdog;
  private long decisions;
  private final Map<Revision, NodeReport> parsed = new HashMap<>();

  WatchdogHarness() {
    this(() -> Fault.NONE);
  }

  WatchdogHarness(Supplier<Fault> faults) {
    kv = new CrashInjectingKv(new UnreliableKv(store, faults), crashes);
    watchdog = newWatchdog();
  }

  private Watchdog newWatchdog() {
    return new Watchdog(IDENTITY, kv, new WatchdogPorts(clock, journal, slots, fetcher, probe));
  }

  /// The process dies and a new one starts.
  void restart() {
    watchdog = newWatchdog();
  }

  void reboot(Duration takes) {
    clock.reboot(takes);
    storeClock.advance(takes);
    restart();
  }

  void tick() {
    watchdog.tick();
  }

  long wakeAt() {
    return watchdog.wakeAt();
  }

  static Task task(int attempt) {
    return new Task(
        new RolloutId("r1"), attempt, IDENTITY.component(), NEW, SOAK, DEADLINE, HEALTH_WAIT);
  }

  void order(Goal goal) {
    order(goal, new DriverClaim(1, "a"));
  }

  void order(Goal goal, DriverClaim claim) {
    order(new DesiredState(task(1), goal, claim, ++decisions));
  }

  void order(DesiredState order) {
    store.put(
        RolloutKeys.ROLLOUTS,
        RolloutKeys.desired(IDENTITY.component(), IDENTITY.node()),
        DesiredStateDocument.toValue(order));
  }

  Optional<NodeReport> report() {
    return store
        .get(RolloutKeys.REPORTS, RolloutKeys.ofNode(IDENTITY.component(), IDENTITY.node()))
        .map(this::parse);
  }

  /// Cached: it is read every second and changes only a few times.
  private NodeReport parse(Entry entry) {
    NodeReport report = parsed.get(entry.revision());
    if (report == null) {
      report = NodeReportDocument.parse(entry.value());
      parsed.clear();
      parsed.put(entry.revision(), report);
    }
    return report;
  }

  NodePhase phase() {
    return report().orElseThrow().phase();
  }

  Optional<Document> heartbeat() {
    return store
        .get(RolloutKeys.STATUS, RolloutKeys.ofNode(IDENTITY.component(), IDENTITY.node()))
        .map(Entry::value)
        .map(Document::parse);
  }

  void runFor(Duration time) {
    for (long i = 0; i < time.toSeconds(); i++) {
      clock.advance(Duration.ofSeconds(1));
      storeClock.advance(Duration.ofSeconds(1));
      if (clock.now().elapsed() - watchdog.wakeAt() >= 0) {
        watchdog.tick();
      }
    }
  }

  /// Orders the goal and lets time pass until the node reports the phase or a later one, for ten
  /// minutes at most.
  void drive(Goal goal, NodePhase until) {
    order(goal);
    tick();
    for (int i = 0; i < 600 && !hasReached(until); i++) {
      runFor(Duration.ofSeconds(1));
    }
  }

  private boolean hasReached(NodePhase phase) {
    return report().filter(it -> it.phase().compareTo(phase) >= 0).isPresent();
  }

  /// Acts as a driver that continues from the node's current phase until the task has ended.
  void driveToTheEnd() {
    NodePhase ordered = NodePhase.REVERTED;
    for (int i = 0; i < 900; i++) {
      NodePhase phase = report().map(NodeReport::phase).orElse(NodePhase.PREPARING);
      if (phase.isTerminal()) {
        return;
      }
      if (phase != ordered) {
        order(
            switch (phase) {
              case SOAKED -> Goal.CONFIRMED;
              case STAGED, APPLYING, SOAKING -> Goal.APPLIED;
              default -> Goal.STAGED;
            });
        ordered = phase;
      }
      runFor(Duration.ofSeconds(1));
    }
  }
}
