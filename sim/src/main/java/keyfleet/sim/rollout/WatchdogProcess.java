package keyfleet.sim.rollout;

import java.util.Optional;
import keyfleet.rollout.Component;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.node.JournalEntry;
import keyfleet.rollout.node.Node;
import keyfleet.rollout.node.NodeTask;
import keyfleet.rollout.node.ProbeResult;
import keyfleet.sim.fleet.PortUser;
import keyfleet.sim.host.HostKv;
import keyfleet.sim.host.HostLoop;
import keyfleet.sim.host.SimulatedHost;
import keyfleet.sim.host.StoreLink;
import keyfleet.sim.host.VirtualTimeScheduler;
import keyfleet.store.ChangeHint;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import keyfleet.watchdog.LocalFailureException;
import keyfleet.watchdog.Watchdog;
import keyfleet.watchdog.WatchdogIdentity;
import keyfleet.wire.DesiredStateDocument;
import keyfleet.wire.RolloutKeys;

/// A node and the processes of its watchdog, one after the other.
final class WatchdogProcess implements NodeMachine.Observer {
  static final Component COMPONENT = new Component("agent");

  private static final Prefix DESIRED_PREFIX = Prefix.under(new Key("desired." + COMPONENT));
  private static final long MAX_WAIT = 60 * VirtualTimeScheduler.SECOND;
  private static final long MIN_WAIT = VirtualTimeScheduler.SECOND;

  private final NodeId id;
  private final SimulatedHost host;
  private final RolloutStores stores;
  private final RolloutOracle oracle;
  private final NodeMachine machine;
  private int protocol = RolloutScenario.PROTOCOL;

  WatchdogProcess(SimulatedHost host, RolloutStores stores, RolloutOracle oracle) {
    this.id = new NodeId(host.name());
    this.host = host;
    this.stores = stores;
    this.oracle = oracle;
    this.machine = new NodeMachine(host, RolloutOracle.OLD_RELEASE, this);
  }

  NodeId id() {
    return id;
  }

  SimulatedHost host() {
    return host;
  }

  NodeMachine machine() {
    return machine;
  }

  /// Makes the release never become ready on this node.
  void breakRelease(Sha256 release) {
    machine.probe().setResult(release, new ProbeResult(ProbeResult.State.NOT_READY, 0));
  }

  /// Makes the new release work on this node.
  void repair() {
    machine
        .probe()
        .setResult(RolloutOracle.NEW_RELEASE, new ProbeResult(ProbeResult.State.READY, 0));
  }

  /// Whether the last started watchdog is too old for the release.
  boolean isOutdated() {
    return protocol < RolloutScenario.PROTOCOL;
  }

  /// Starts a watchdog that speaks `newProtocol`.
  void start(int newProtocol) {
    protocol = newProtocol;
    host.start();
    HostLoop loop = new HostLoop(host);
    Kv observed =
        new ObservedReadsKv(
            new HostKv(stores.store(), loop, stores.world().readMode()), this::onDesiredRead);
    Kv kv = stores.wrappers().wrapKv(PortUser.WATCHDOG, observed);
    Watchdog watchdog =
        new Watchdog(
            new WatchdogIdentity(id, COMPONENT, protocol, RolloutScenario.facts(id)),
            kv,
            machine.portsFor(loop, stores.wrappers()));
    Key key = RolloutKeys.desired(COMPONENT, id);
    loop.runPaced(() -> tick(watchdog));
    stores
        .store()
        .watch(RolloutKeys.ROLLOUTS, DESIRED_PREFIX, hint -> onHint(hint, key, loop, watchdog));
  }

  /// A watchdog that misses a hint finds the order at its next tick.
  private void onHint(ChangeHint hint, Key key, HostLoop loop, Watchdog watchdog) {
    if (hint.equals(new ChangeHint.Changed(key)) && loop.isAlive() && host.link() == StoreLink.UP) {
      host.scheduler()
          .schedule(host.random().between(1, MIN_WAIT), () -> loop.run(() -> runTick(watchdog)));
    }
  }

  private void runTick(Watchdog watchdog) {
    try {
      watchdog.tick();
    } catch (LocalFailureException e) {
      host.note(e::getMessage);
    }
    machine.journalEntry().ifPresent(entry -> host.note(() -> abbreviate(entry.node())));
  }

  private long tick(Watchdog watchdog) {
    runTick(watchdog);
    return Math.clamp(watchdog.wakeAt() - host.clock().getAsLong(), MIN_WAIT, MAX_WAIT);
  }

  private static String abbreviate(Node node) {
    return node instanceof Node.Tasked tasked
        ? Node.phase(tasked) + " by epoch " + tasked.nodeTask().claim().epoch()
        : "idle";
  }

  Optional<NodeTask> nodeTask() {
    return machine
        .journalEntry()
        .map(JournalEntry::node)
        .filter(Node.Tasked.class::isInstance)
        .map(node -> ((Node.Tasked) node).nodeTask());
  }

  private void onDesiredRead(Entry entry) {
    oracle.observeDesiredRead(this, DesiredStateDocument.parse(entry.value()));
  }

  @Override
  public void onJournalWritten(JournalEntry entry) {
    oracle.observeJournal(this, entry);
  }

  @Override
  public void onReleaseStarted(Sha256 release) {
    host.note(() -> "runs " + release.hex().charAt(0));
    oracle.observeRelease(this, release);
  }
}
