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
import keyfleet.wire.DesiredStateDocument;
import org.jspecify.annotations.Nullable;

/// Nodes with their watchdogs, drivers that fail over, and one or two rollouts.
public final class RolloutFleet
    implements SimulatedFleet, RolloutOracle.Circumstances, RolloutOperator.SecondRolloutPlan {
  private static final long DRIVER_PERIOD = 10 * VirtualTimeScheduler.SECOND;

  private final RolloutStores stores;
  private final RolloutScenario scenario;
  private final RolloutOracle oracle;
  private final RolloutReader reader;
  private final Map<NodeId, WatchdogProcess> nodes = new TreeMap<>();
  private final List<SimulatedHost> drivers;
  private final SimulatedHost operatorHost;

  /// Each rollout as it was last written.
  private final Map<RolloutId, Rollout> latestRollouts = new HashMap<>();

  /// The plan of the second rollout, unless it is a retry.
  private @Nullable RolloutSpec repeatedSpec;

  /// No node can take part in a repeated rollout, so there is none.
  private boolean declined;

  private int disruptions;

  public RolloutFleet(SimulatedWorld world, PortWrappers wrappers) {
    this.stores = new RolloutStores(world, wrappers, this::observeWrite);
    this.scenario = RolloutScenario.draw(world.random().forPurpose("shipment"));
    this.oracle = new RolloutOracle(world.scheduler(), scenario, this);
    this.reader = new RolloutReader(world.kv(), Failpoints.NONE);
    for (NodeId id : scenario.nodes()) {
      nodes.put(id, new WatchdogProcess(world.host(id.value()), stores, oracle));
    }
    this.drivers = List.of(world.host("driver-0"), world.host("driver-1"));
    this.operatorHost = world.host("releaser");
  }

  private void observeWrite(ObservedWritesKv.AppliedWrite write) {
    if (write.key().value().startsWith("desired.")) {
      oracle.observeDesired(write.key(), DesiredStateDocument.parse(write.value()));
    }
    for (RolloutId id : List.of(RolloutScenario.ROLLOUT, RolloutScenario.SECOND_ROLLOUT)) {
      if (write.key().value().equals(id + ".ctl")) {
        reader.find(id).ifPresent(this::observeRollout);
      }
    }
  }

  private void observeRollout(Rollout rollout) {
    latestRollouts.put(rollout.run().spec().id(), rollout);
    oracle.observeRollout(rollout);
  }

  /// R17: returns whether a second rollout is wanted. Before a retry it repairs all nodes.
  @Override
  public boolean prepareIfWanted() {
    Rollout first = latestRollouts.get(RolloutScenario.ROLLOUT);
    boolean isWanted =
        scenario.secondRollout() != RolloutScenario.SecondRollout.NONE
            && !declined
            && first != null
            && Rollout.isEnded(first)
            && canRepeat(first.run().progress().failedNodes());
    if (isWanted && scenario.secondRollout() == RolloutScenario.SecondRollout.RETRIED) {
      nodes.values().forEach(WatchdogProcess::repair);
    }
    return isWanted;
  }

  /// A retry makes no sense if one of the failed nodes is too old: preflight would refuse it.
  private boolean canRepeat(List<NodeId> failed) {
    boolean isRepeatable =
        scenario.secondRollout() == RolloutScenario.SecondRollout.REPEATED
            || latestRollouts.containsKey(RolloutScenario.SECOND_ROLLOUT)
            || nodes.values().stream().noneMatch(it -> failed.contains(it.id()) && it.isOutdated());
    return isRepeatable && !failed.isEmpty();
  }

  @Override
  public Optional<RolloutSpec> spec(List<NodeStatus> inventory) {
    if (repeatedSpec == null) {
      repeatedSpec = scenario.repeatSpec(inventory).orElse(null);
      declined = repeatedSpec == null;
    }
    return Optional.ofNullable(repeatedSpec);
  }

  @Override
  public boolean hasSteadyDriver() {
    return stores.world().isPrompt() && drivers.stream().anyMatch(driver -> !driver.hasHadFault());
  }

  @Override
  public boolean isSlow(NodeId node) {
    return Optional.ofNullable(nodes.get(node)).filter(it -> it.host().hasBeenSlow()).isPresent();
  }

  @Override
  public void start() {
    nodes
        .values()
        .forEach(node -> {
          if (scenario.brokenNodes().contains(node.id())) {
            node.breakRelease(RolloutOracle.NEW_RELEASE);
          }
          if (scenario.lateNodes().contains(node.id())) {
            long startDelay = node.host().random().between(0, FaultSchedule.SHORT);
            stores
                .world()
                .scheduler()
                .schedule(startDelay, () -> startIfDown(node.host(), () -> start(node)));
          } else if (!scenario.spec().plan().offline().contains(node.id())) {
            start(node);
          }
        });
    drivers.forEach(this::startDriver);
    startOperator();
  }

  private void start(WatchdogProcess node) {
    node.start(
        scenario.outdatedNodes().contains(node.id())
            ? RolloutScenario.OLD_PROTOCOL
            : RolloutScenario.PROTOCOL);
  }

  /// A canary keeps its software version: without a canary the rollout would wait for an operator.
  private void startAfter(Fault fault, WatchdogProcess node) {
    boolean canary = scenario.spec().plan().canaries().contains(node.id());
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
            host.name() + "-" + host.generation(),
            stores.kv(PortUser.DRIVER, loop),
            stores.wrappers().wrapClock(PortUser.DRIVER, host.clock()),
            stores.nonces(host),
            Failpoints.NONE);
    loop.runEvery(
        DRIVER_PERIOD,
        () -> {
          rollouts.tick();
          host.note(() -> "runs its driver; problems: " + rollouts.problems());
        });
  }

  private void startOperator() {
    operatorHost.start();
    new RolloutOperator(operatorHost, stores).runScenario(scenario, this);
  }

  @Override
  public void inject(Fault fault) {
    int target = fault.target() % (nodes.size() + drivers.size() + 1);
    if (fault.kind() == Fault.Kind.OPERATOR) {
      SimulatedHost disrupter = stores.world().host("meddler-" + disruptions++);
      disrupter.start();
      new RolloutOperator(disrupter, stores).giveDisruptiveOrder(fault.choice());
    } else if (target < nodes.size()) {
      injectIntoNode(List.copyOf(nodes.values()).get(target), fault);
    } else if (target < nodes.size() + drivers.size()) {
      SimulatedHost driver = drivers.get(target - nodes.size());
      driver.inject(fault);
      scheduleAfter(fault, () -> startIfDown(driver, () -> startDriver(driver)));
    } else {
      operatorHost.inject(fault);
      scheduleAfter(fault, () -> startIfDown(operatorHost, this::startOperator));
    }
  }

  private void injectIntoNode(WatchdogProcess node, Fault fault) {
    node.host().inject(fault);
    switch (fault.kind()) {
      case PROVIDER -> {
        node.machine()
            .fetcher()
            .setStatus(
                RolloutOracle.NEW_RELEASE, new FetchStatus.Failed("the artifact is unreachable"));
        scheduleAfter(fault, () -> node.machine().fetcher().recover(RolloutOracle.NEW_RELEASE));
      }
      case CRASH, KEY_LOST, OLD_BINARY, LOST_SUFFIX ->
          scheduleAfter(fault, () -> startIfDown(node, fault));
      default -> {} // the host applies it
    }
  }

  private void scheduleAfter(Fault fault, Runnable action) {
    stores.world().scheduler().schedule(fault.duration(), action);
  }

  private static void startIfDown(SimulatedHost host, Runnable start) {
    if (!host.isUp()) {
      start.run();
    }
  }

  private void startIfDown(WatchdogProcess node, Fault fault) {
    startIfDown(
        node.host(),
        () -> {
          node.machine().crash(fault.choice() % 2 == 0);
          if (fault.kind() == Fault.Kind.LOST_SUFFIX) {
            node.machine().reboot();
          }
          startAfter(fault, node);
        });
  }

  @Override
  public void heal() {
    nodes
        .values()
        .forEach(node -> {
          node.host().heal();
          node.machine().fetcher().recover(RolloutOracle.NEW_RELEASE);
          startIfDown(
              node.host(),
              () -> {
                node.machine().crash(true);
                start(node);
              });
        });
    drivers.forEach(driver -> {
      driver.heal();
      startIfDown(driver, () -> startDriver(driver));
    });
    operatorHost.heal();
    startIfDown(operatorHost, this::startOperator);
  }

  @Override
  public void checkInvariants() {
    oracle.check(nodes.values());
  }

  @Override
  public Optional<Supplier<String>> unfinishedWork() {
    Rollout first = latestRollouts.get(RolloutScenario.ROLLOUT);
    if (first == null) {
      return Optional.of(() -> "the rollout was never started");
    }
    if (!Rollout.isEnded(first)) {
      return Optional.of(() -> "the rollout is " + abbreviate(first));
    }
    Rollout second = latestRollouts.get(RolloutScenario.SECOND_ROLLOUT);
    if (!prepareIfWanted() || (second != null && Rollout.isEnded(second))) {
      return Optional.empty();
    }
    return Optional.of(
        () -> "the second rollout is " + (second == null ? "not started" : abbreviate(second)));
  }

  private static String abbreviate(Rollout rollout) {
    return rollout.getClass().getSimpleName() + " with " + rollout.run().progress().entries();
  }

  @Override
  public void checkFinalInvariants() {
    Rollout first = latestRollouts.get(RolloutScenario.ROLLOUT);
    if (first != null) {
      oracle.checkFinal(first, latestRollouts.get(RolloutScenario.SECOND_ROLLOUT), nodes);
    }
  }
}
