package keyfleet.sim;

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
import keyfleet.watchdog.FetchStatus;
import keyfleet.wire.DesiredDocument;
import org.jspecify.annotations.Nullable;

/// Nodes under their watchdogs, drivers that fail over, and a rollout on its way.
final class NodeFleet implements Fleet, NodeTruth.Circumstances, RolloutClerk.Wish {
  private static final long DRIVE = 10 * Timeline.SECOND;

  private final NodeWorld nodeWorld;
  private final Shipment shipment;
  private final NodeTruth truth;
  private final RolloutReader reader;
  private final Map<NodeId, NodeProcess> nodes = new TreeMap<>();
  private final List<Host> drivers;
  private final Host clerk;

  /// As each was last written.
  private final Map<RolloutId, Rollout> seen = new HashMap<>();

  /// The second rollout as it was planned, if it is not a retry.
  private @Nullable RolloutSpec second;

  private boolean declined;

  private int meddlers;

  NodeFleet(World world, Ports ports) {
    this.nodeWorld = new NodeWorld(world, ports, this::saw);
    this.shipment = Shipment.drawn(world.dice().named("shipment"));
    this.truth = new NodeTruth(world.timeline(), shipment, this);
    this.reader = new RolloutReader(world.kv(), Failpoints.NONE);
    for (NodeId id : shipment.nodes()) {
      nodes.put(id, new NodeProcess(world.host(id.value()), nodeWorld, truth));
    }
    this.drivers = List.of(world.host("driver-0"), world.host("driver-1"));
    this.clerk = world.host("releaser");
  }

  private void saw(WatchedKv.Applied write) {
    if (write.key().value().startsWith("desired.")) {
      truth.told(write.key(), DesiredDocument.parse(write.value()));
    }
    for (RolloutId id : List.of(Shipment.ROLLOUT, Shipment.RETRY)) {
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
    Rollout ended = seen.get(Shipment.ROLLOUT);
    boolean wants =
        shipment.hope() != Shipment.Hope.NONE
            && !declined
            && ended != null
            && Rollout.isEnded(ended)
            && canRepeat(ended.run().progress().failedNodes());
    if (wants && shipment.hope() == Shipment.Hope.RETRIED) {
      nodes.values().forEach(NodeProcess::repair);
    }
    return wants;
  }

  /// Nobody retries what one of the nodes is too old for: preflight would refuse it.
  private boolean canRepeat(List<NodeId> failed) {
    boolean able =
        shipment.hope() == Shipment.Hope.REPEATED
            || seen.containsKey(Shipment.RETRY)
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
            node.spoil(NodeTruth.NEW);
          }
          if (shipment.late().contains(node.id())) {
            long comes = node.host().dice().between(0, Weather.SHORT);
            nodeWorld.world().timeline().in(comes, () -> revive(node.host(), () -> start(node)));
          } else if (!shipment.spec().plan().offline().contains(node.id())) {
            start(node);
          }
        });
    drivers.forEach(this::startDriver);
    startClerk();
  }

  private void start(NodeProcess node) {
    node.start(shipment.outdated().contains(node.id()) ? Shipment.OLD_PROTOCOL : Shipment.PROTOCOL);
  }

  /// A canary keeps its binary: without one the rollout would wait for a person.
  private void startAfter(Fault fault, NodeProcess node) {
    boolean canary = shipment.spec().plan().canaries().contains(node.id());
    if (fault.kind() == Fault.Kind.OLD_BINARY && !canary) {
      node.start(Shipment.OLD_PROTOCOL);
    } else {
      start(node);
    }
  }

  private void startDriver(Host host) {
    host.start();
    Loop loop = new Loop(host);
    RolloutLoop rollouts =
        new RolloutLoop(
            host.name() + "-" + host.life(),
            nodeWorld.kv(Part.DRIVER, loop),
            nodeWorld.ports().clock(Part.DRIVER, host.clock()),
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
    new RolloutClerk(clerk, nodeWorld).ship(shipment, this);
  }

  @Override
  public void strike(Fault fault) {
    int target = fault.target() % (nodes.size() + drivers.size() + 1);
    if (fault.kind() == Fault.Kind.OPERATOR) {
      Host meddler = nodeWorld.world().host("meddler-" + meddlers++);
      meddler.start();
      new RolloutClerk(meddler, nodeWorld).meddle(fault.choice());
    } else if (target < nodes.size()) {
      strike(List.copyOf(nodes.values()).get(target), fault);
    } else if (target < nodes.size() + drivers.size()) {
      Host driver = drivers.get(target - nodes.size());
      driver.suffer(fault);
      later(fault, () -> revive(driver, () -> startDriver(driver)));
    } else {
      clerk.suffer(fault);
      later(fault, () -> revive(clerk, this::startClerk));
    }
  }

  private void strike(NodeProcess node, Fault fault) {
    node.host().suffer(fault);
    switch (fault.kind()) {
      case PROVIDER -> {
        node.machine().artifacts().setStatus(NodeTruth.NEW, new FetchStatus.Failed("no way to it"));
        later(fault, () -> node.machine().artifacts().recover(NodeTruth.NEW));
      }
      case CRASH, KEY_LOST, OLD_BINARY, LOST_SUFFIX -> later(fault, () -> revive(node, fault));
      default -> {} // the host suffers it
    }
  }

  private void later(Fault fault, Runnable act) {
    nodeWorld.world().timeline().in(fault.lasts(), act);
  }

  private static void revive(Host host, Runnable start) {
    if (!host.isUp()) {
      start.run();
    }
  }

  private void revive(NodeProcess node, Fault fault) {
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
          node.machine().artifacts().recover(NodeTruth.NEW);
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
    Rollout now = seen.get(Shipment.ROLLOUT);
    if (now == null) {
      return Optional.of(() -> "the rollout was never started");
    }
    if (!Rollout.isEnded(now)) {
      return Optional.of(() -> "the rollout is " + brief(now));
    }
    Rollout again = seen.get(Shipment.RETRY);
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
    Rollout ended = seen.get(Shipment.ROLLOUT);
    if (ended != null) {
      truth.checkEnd(ended, seen.get(Shipment.RETRY), nodes);
    }
  }
}
