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
import keyfleet.wire.DesiredDocument;
import keyfleet.wire.RolloutKeys;

/// A node and the lives of its watchdog.
final class WatchdogProcess implements NodeMachine.Observer {
  static final Component COMPONENT = new Component("agent");

  private static final Prefix DESIRED = Prefix.under(new Key("desired." + COMPONENT));
  private static final long POLL = 60 * VirtualTimeScheduler.SECOND;
  private static final long SOON = VirtualTimeScheduler.SECOND;

  private final NodeId id;
  private final SimulatedHost host;
  private final RolloutStores world;
  private final RolloutOracle truth;
  private final NodeMachine machine;
  private int protocol = RolloutScenario.PROTOCOL;

  WatchdogProcess(SimulatedHost host, RolloutStores world, RolloutOracle truth) {
    this.id = new NodeId(host.name());
    this.host = host;
    this.world = world;
    this.truth = truth;
    this.machine = new NodeMachine(host, RolloutOracle.OLD, this);
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

  /// The release never becomes ready here.
  void spoil(Sha256 release) {
    machine.probe().setResult(release, new ProbeResult(ProbeResult.State.NOT_READY, 0));
  }

  /// As new: every release works.
  void repair() {
    machine.probe().setResult(RolloutOracle.NEW, new ProbeResult(ProbeResult.State.READY, 0));
  }

  /// Whether its watchdog, in its last life, is too old for the release.
  boolean isOutdated() {
    return protocol < RolloutScenario.PROTOCOL;
  }

  /// A life of a watchdog that speaks `spoken`.
  void start(int spoken) {
    protocol = spoken;
    host.start();
    HostLoop loop = new HostLoop(host);
    Kv seen =
        new ObservedReadsKv(
            new HostKv(world.store(), loop, world.world().anyReads()), this::delivered);
    Kv kv = world.ports().kv(PortUser.WATCHDOG, seen);
    Watchdog watchdog =
        new Watchdog(
            new WatchdogIdentity(id, COMPONENT, protocol, RolloutScenario.facts(id)),
            kv,
            machine.touchedBy(loop, world.ports()));
    Key key = RolloutKeys.desired(COMPONENT, id);
    loop.paced(() -> tick(watchdog));
    world
        .store()
        .watch(RolloutKeys.ROLLOUTS, DESIRED, changeHint -> hear(changeHint, key, loop, watchdog));
  }

  /// A hint is only a hint: whoever misses it finds the order at its next look.
  private void hear(ChangeHint changeHint, Key key, HostLoop loop, Watchdog watchdog) {
    if (changeHint.equals(new ChangeHint.Changed(key))
        && loop.isAlive()
        && host.link() == StoreLink.UP) {
      host.timeline().in(host.dice().between(1, SOON), () -> loop.run(() -> look(watchdog)));
    }
  }

  private void look(Watchdog watchdog) {
    try {
      watchdog.tick();
    } catch (LocalFailureException e) {
      host.note(e::getMessage);
    }
    machine.page().ifPresent(page -> host.note(() -> brief(page.node())));
  }

  private long tick(Watchdog watchdog) {
    look(watchdog);
    return Math.clamp(watchdog.wakeAt() - host.clock().getAsLong(), SOON, POLL);
  }

  private static String brief(Node node) {
    return node instanceof Node.Tasked tasked
        ? Node.phase(tasked) + " by epoch " + tasked.nodeTask().claim().epoch()
        : "idle";
  }

  Optional<NodeTask> nodeTask() {
    return machine
        .page()
        .map(JournalEntry::node)
        .filter(Node.Tasked.class::isInstance)
        .map(node -> ((Node.Tasked) node).nodeTask());
  }

  private void delivered(Entry entry) {
    truth.delivered(this, DesiredDocument.parse(entry.value()));
  }

  @Override
  public void journalled(JournalEntry page) {
    truth.journalled(this, page);
  }

  @Override
  public void ran(Sha256 release) {
    host.note(() -> "runs " + release.hex().charAt(0));
    truth.ran(this, release);
  }
}
