package keyfleet.sim.rollout;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import keyfleet.control.Failpoints;
import keyfleet.control.rollout.RolloutLoop;
import keyfleet.control.rollout.RolloutReader;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.controller.Rollout;
import keyfleet.rollout.controller.RolloutSpec;
import keyfleet.rollout.plan.NodeStatus;
import keyfleet.sim.fleet.ObservedWritesKv;
import keyfleet.sim.fleet.PortUser;
import keyfleet.sim.fleet.PortWrappers;
import keyfleet.sim.fleet.SimulatedFleet;
import keyfleet.sim.fleet.SimulatedWorld;
import keyfleet.sim.host.Fault;
import keyfleet.sim.host.FaultSchedule;
import keyfleet.sim.host.HostLoop;
import keyfleet.sim.host.SimulatedHost;
import keyfleet.sim.host.VirtualTimeScheduler;
import keyfleet.watchdog.FetchStatus;
import keyfleet.wire.DesiredDocument;
import org.jspecify.annotations.Nullable;

/// Nodes under their watchdogs, drivers that fail over, and a rollout on its way.
public final class RolloutFleet
    implements SimulatedFleet, RolloutOracle.Circumstances, RolloutOperator.SecondRolloutPlan {
  private static final long DRIVE = 10 * VirtualTimeScheduler.SECOND;

  private final RolloutStores nodeWorld;
  private final RolloutScenario shipment;
  private final RolloutOracle truth;
  private final RolloutReader reader;
  private final Map<NodeId, WatchdogProcess> nodes = new TreeMap<>();
  private final List<SimulatedHost> drivers;
  private final SimulatedHost clerk;

  /// As each was last written.
  private final Map<RolloutId, Rollout> seen = new HashMap<>();

  /// The second rollout as it was planned, if it is not a retry.
  private @Nullable RolloutSpec second;

  private boolean declined;

  private int meddlers;

  public RolloutFleet(SimulatedWorld world, PortWrappers ports) {
    this.nodeWorld = new RolloutStores(world, ports, this::saw);
    this.shipment = RolloutScenario.drawn(world.dice().named("shipment"));
    this.truth = new RolloutOracle(world.timeline(), shipment, this);
    this.reader = new RolloutReader(world.kv(), Failpoints.NONE);
    for (NodeId id : shipment.nodes()) {
      nodes.put(id, new WatchdogProcess(world.host(id.value()), nodeWorld, truth));
    }
    this.drivers = List.of(world.host("driver-0"), world.host("driver-1"));
    this.clerk = world.host("releaser");
  }

  private void saw(ObservedWritesKv.AppliedWrite write) {
    if (write.key().value().startsWith("desired.")) {
      truth.told(write.key(), DesiredDocument.parse(write.value()));
    }
    for (RolloutId id : List.of(RolloutScenario.ROLLOUT, RolloutScenario.RETRY)) {
      if (write.key().value().equals(id + ".ctl")) {
        reader.find(id).ifPresent(this::sees);
      }
    }
  }

  private void sees(Rollout rollout) {
    seen.put(rollout.run().spec().id(), rollout);
    truth.sees(rollout);
  }

  /// R17: whether somebody shall have the release once more. Nodes that get a retry are repaired.
  @Override
  public boolean wantsMore() {
    Rollout ended = seen.get(RolloutScenario.ROLLOUT);
    boolean wants =
        shipment.hope() != RolloutScenario.SecondRollout.NONE
            && !declined
            && ended != null
            && Rollout.isEnded(ended)
            && canRepeat(ended.run().progress().failedNodes());
    if (wants && shipment.hope() == RolloutScenario.SecondRollout.RETRIED) {
      nodes.values().forEach(WatchdogProcess::repair);
    }
    return wants;
  }

  /// Nobody retries what one of the nodes is too old for: preflight would refuse it.
  private boolean canRepeat(List<NodeId> failed) {
    boolean able =
        shipment.hope() == RolloutScenario.SecondRollout.REPEATED
            || seen.containsKey(RolloutScenario.RETRY)
            || nodes.values().stream().noneMatch(it -> failed.contains(it.id()) && it.isOutdated());
    return able && !failed.isEmpty();
  }

  @Override
  public Optional<RolloutSpec> second(List<NodeStatus> inventory) {
    if (second == null) {
      second = shipment.repeated(inventory).orElse(null);
      declined = second == null;
    }
    return Optional.ofNullable(second);
  }

  @Override
  public boolean isSteady() {
    return nodeWorld.world().isPrompt() && drivers.stream().anyMatch(driver -> !driver.wasStruck());
  }

  @Override
  public boolean isSlow(NodeId node) {
    return Optional.ofNullable(nodes.get(node)).filter(it -> it.host().wasSlow()).isPresent();
  }

  @Override
  public void start() {
    nodes
        .values()
        .forEach(node -> {
          if (shipment.spoiled().contains(node.id())) {
            node.spoil(RolloutOracle.NEW);
          }
          if (shipment.late().contains(node.id())) {
            long comes = node.host().dice().between(0, FaultSchedule.SHORT);
            nodeWorld.world().timeline().in(comes, () -> revive(node.host(), () -> start(node)));
          } else if (!shipment.spec().plan().offline().contains(node.id())) {
            start(node);
          }
        });
    drivers.forEach(this::startDriver);
    startClerk();
  }

  private void start(WatchdogProcess node) {
    node.start(
        shipment.outdated().contains(node.id())
            ? RolloutScenario.OLD_PROTOCOL
            : RolloutScenario.PROTOCOL);
  }

  /// A canary keeps its binary: without one the rollout would wait for a person.
  private void startAfter(Fault fault, WatchdogProcess node) {
    boolean canary = shipment.spec().plan().canaries().contains(node.id());
    if (fault.kind() == Fault.Kind.OLD_BINARY && !canary) {
      node.start(RolloutScenario.OLD_PROTOCOL);
    } else {
      start(node);
    }
  }

  private void startDriver(SimulatedHost host) {
    host.start();
    HostLoop loop = new HostLoop(host);
    RolloutLoop rollouts =
        new RolloutLoop(
            host.name() + "-" + host.life(),
            nodeWorld.kv(PortUser.DRIVER, loop),
            nodeWorld.ports().clock(PortUser.DRIVER, host.clock()),
            nodeWorld.nonces(host),
            Failpoints.NONE);
    loop.every(
        DRIVE,
        () -> {
          rollouts.tick();
          host.note(() -> "drives " + rollouts.problems());
        });
  }

  private void startClerk() {
    clerk.start();
    new RolloutOperator(clerk, nodeWorld).ship(shipment, this);
  }

  @Override
  public void strike(Fault fault) {
    int target = fault.target() % (nodes.size() + drivers.size() + 1);
    if (fault.kind() == Fault.Kind.OPERATOR) {
      SimulatedHost meddler = nodeWorld.world().host("meddler-" + meddlers++);
      meddler.start();
      new RolloutOperator(meddler, nodeWorld).meddle(fault.choice());
    } else if (target < nodes.size()) {
      strike(List.copyOf(nodes.values()).get(target), fault);
    } else if (target < nodes.size() + drivers.size()) {
      SimulatedHost driver = drivers.get(target - nodes.size());
      driver.suffer(fault);
      later(fault, () -> revive(driver, () -> startDriver(driver)));
    } else {
      clerk.suffer(fault);
      later(fault, () -> revive(clerk, this::startClerk));
    }
  }

  private void strike(WatchdogProcess node, Fault fault) {
    node.host().suffer(fault);
    switch (fault.kind()) {
      case PROVIDER -> {
        node.machine()
            .artifacts()
            .setStatus(RolloutOracle.NEW, new FetchStatus.Failed("no way to it"));
        later(fault, () -> node.machine().artifacts().recover(RolloutOracle.NEW));
      }
      case CRASH, KEY_LOST, OLD_BINARY, LOST_SUFFIX -> later(fault, () -> revive(node, fault));
      default -> {} // the host suffers it
    }
  }

  private void later(Fault fault, Runnable act) {
    nodeWorld.world().timeline().in(fault.lasts(), act);
  }

  private static void revive(SimulatedHost host, Runnable start) {
    if (!host.isUp()) {
      start.run();
    }
  }

  private void revive(WatchdogProcess node, Fault fault) {
    revive(
        node.host(),
        () -> {
          node.machine().crashed(fault.choice() % 2 == 0);
          if (fault.kind() == Fault.Kind.LOST_SUFFIX) {
            node.machine().reboot();
          }
          startAfter(fault, node);
        });
  }

  @Override
  public void calm() {
    nodes
        .values()
        .forEach(node -> {
          node.host().heal();
          node.machine().artifacts().recover(RolloutOracle.NEW);
          revive(
              node.host(),
              () -> {
                node.machine().crashed(true);
                start(node);
              });
        });
    drivers.forEach(driver -> {
      driver.heal();
      revive(driver, () -> startDriver(driver));
    });
    clerk.heal();
    revive(clerk, this::startClerk);
  }

  @Override
  public void check() {
    truth.check(nodes.values());
  }

  @Override
  public Optional<Supplier<String>> unfinished() {
    Rollout now = seen.get(RolloutScenario.ROLLOUT);
    if (now == null) {
      return Optional.of(() -> "the rollout was never started");
    }
    if (!Rollout.isEnded(now)) {
      return Optional.of(() -> "the rollout is " + brief(now));
    }
    Rollout again = seen.get(RolloutScenario.RETRY);
    if (!wantsMore() || (again != null && Rollout.isEnded(again))) {
      return Optional.empty();
    }
    return Optional.of(
        () -> "the second rollout is " + (again == null ? "not started" : brief(again)));
  }

  private static String brief(Rollout rollout) {
    return rollout.getClass().getSimpleName() + " with " + rollout.run().progress().entries();
  }

  @Override
  public void checkEnd() {
    Rollout ended = seen.get(RolloutScenario.ROLLOUT);
    if (ended != null) {
      truth.checkEnd(ended, seen.get(RolloutScenario.RETRY), nodes);
    }
  }
}
