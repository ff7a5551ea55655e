package keyfleet.sim.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.KeyringOperations.Result;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KnownPlugin;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionRemoval.FenceWaiver;
import keyfleet.keyring.VersionState;
import keyfleet.member.heartbeat.ProcessIdentity;
import keyfleet.sim.cipher.FakeKek;
import keyfleet.sim.cipher.InMemoryKekProvider;
import keyfleet.sim.cluster.ClusterNode.Fate;
import keyfleet.sim.fleet.PortWrappers;
import keyfleet.sim.fleet.SimulatedFleet;
import keyfleet.sim.fleet.SimulatedWorld;
import keyfleet.sim.host.Fault;
import keyfleet.sim.host.FaultSchedule;
import keyfleet.sim.host.HostLoop;
import keyfleet.sim.host.SeededRandom;
import keyfleet.sim.host.SimulatedHost;
import keyfleet.sim.host.VirtualTimeScheduler;

/// One or two clusters whose plugins share a kms keyring, two workers and an operator. The nodes
/// write all the time; the operator rotates, and takes old versions out of use.
public final class ClusterFleet implements SimulatedFleet {
  /// More than any run announces.
  static final int MAX_VERSIONS = 8;

  private static final int MAX_WITHDRAWN = 2;
  private static final long OPERATOR_PERIOD = 15 * VirtualTimeScheduler.SECOND;
  private static final long API_SERVER_PERIOD = 20 * VirtualTimeScheduler.SECOND;
  private static final long MAX_START_DELAY = 100 * VirtualTimeScheduler.SECOND;
  private static final long MAX_KEY_DELAY = 40 * VirtualTimeScheduler.SECOND;
  private static final List<ClusterPlan.Habit> HABITS = List.of(ClusterPlan.Habit.values());
  private static final List<String> CLUSTERS = List.of("blue", "green");
  private static final Set<VersionState> GONE =
      EnumSet.of(VersionState.DESTROYING, VersionState.DESTROYED);

  private final SimulatedWorld world;
  private final SeededRandom random;
  private final ClusterOracle oracle = new ClusterOracle();
  private final ClusterStores stores;
  private final ClusterPlan plan;
  private final List<ClusterNode> nodes = new ArrayList<>();
  private final List<SimulatedApiServer> apiServers = new ArrayList<>();
  private final List<ClusterWorker> workers = new ArrayList<>();
  private final SimulatedHost operatorHost;
  private int disruptions;

  public ClusterFleet(SimulatedWorld world, PortWrappers wrappers) {
    this.world = world;
    this.random = world.random().forPurpose("clusters");
    this.stores = new ClusterStores(world, wrappers, oracle);
    Set<KekVersion> mistakes =
        random.drawOneIn(3) ? Set.of(new KekVersion(2 + random.below(2))) : Set.of();
    this.plan =
        new ClusterPlan(
            2 + random.below(3), random.pick(HABITS), mistakes, new PlanField(), this::shredKey);
    this.operatorHost = world.host("cluster-clerk");
    int clusters = 1 + random.below(2);
    int count = 2 + random.below(2);
    for (int i = 0; i < count; i++) {
      addNode("node-" + i, CLUSTERS.get(i % clusters));
    }
    workers.add(new ClusterWorker(world.host("cluster-worker-0"), stores));
    workers.add(new ClusterWorker(world.host("cluster-worker-1"), stores));
  }

  private void addNode(String name, String cluster) {
    ClusterNode node = new ClusterNode(world.host(name), cluster, stores);
    SimulatedApiServer apiServer =
        new SimulatedApiServer(
            node, oracle.etcd(cluster), oracle, world.random().forPurpose("api of " + name));
    nodes.add(node);
    apiServers.add(apiServer);
    oracle.add(apiServer);
  }

  @Override
  public void start() {
    workers.forEach(ClusterWorker::start);
    for (ClusterNode node : nodes) {
      boolean isLate = node.equals(nodes.getFirst());
      node.keyProvider().put(InMemoryKekProvider.genuineKek(1));
      schedule(isLate ? random.between(0, MAX_START_DELAY) : 0, () -> startIfDown(node));
      for (int version = 2; version <= MAX_VERSIONS; version++) {
        FakeKek kek = InMemoryKekProvider.genuineKek(version);
        schedule(random.between(0, MAX_KEY_DELAY) * (version - 1) / 2, () -> giveKey(node, kek));
      }
    }
    startApiServers();
    scheduleDepartures();
    startOperator();
  }

  private static void giveKey(ClusterNode node, FakeKek kek) {
    node.host().note(() -> "gets " + kek.version());
    node.keyProvider().put(kek);
  }

  /// They never crash: a plugin may be away for longer than its API server.
  private void startApiServers() {
    for (SimulatedApiServer apiServer : apiServers) {
      SimulatedHost host = world.host("api of " + apiServer.node().host().name());
      host.start();
      new HostLoop(host).runEvery(API_SERVER_PERIOD, () -> apiServer.tick(world.scheduler().now()));
    }
  }

  /// In some runs a node dies for good, or a plugin stops gracefully and returns at the end.
  private void scheduleDepartures() {
    ClusterNode leaver = nodes.getLast();
    long at = random.between(0, FaultSchedule.SHORT);
    int departure = random.below(6);
    if (departure == 0 && hasPeer(leaver)) {
      schedule(at, () -> kill(leaver));
    } else if (departure == 1) {
      schedule(at, () -> stop(leaver));
    }
  }

  /// Whether another API server can migrate what this one has stored.
  private boolean hasPeer(ClusterNode node) {
    return nodes.stream().filter(it -> it.cluster().equals(node.cluster())).count() > 1;
  }

  private void kill(ClusterNode node) {
    world.note(node.host().name(), "dies for good");
    node.setFate(Fate.DEAD);
    if (node.host().isUp()) {
      node.host().crash();
    }
  }

  private static void stop(ClusterNode node) {
    node.host().note(() -> "is told to stop");
    node.setFate(Fate.STOPPED);
  }

  private void startOperator() {
    operatorHost.start();
    ClusterOperator operator = new ClusterOperator(operatorHost, stores);
    operator.orderLoop().orderEvery(OPERATOR_PERIOD, () -> plan.orderNextStep(operator));
  }

  private void startOperatorIfDown() {
    if (!operatorHost.isUp()) {
      startOperator();
    }
  }

  private void schedule(long nanos, Runnable action) {
    world.scheduler().schedule(nanos, action);
  }

  private static void startIfDown(ClusterNode node) {
    if (!node.host().isUp() && node.fate() == Fate.SERVING) {
      node.start();
    }
  }

  private static void startIfDown(ClusterWorker worker) {
    if (!worker.host().isUp()) {
      worker.start();
    }
  }

  private static void restart(ClusterNode node, int protocol) {
    if (node.fate() == Fate.SERVING) {
      if (node.host().isUp()) {
        node.host().crash();
      }
      node.setProtocol(protocol);
      node.start();
    }
  }

  @Override
  public void inject(Fault fault) {
    if (fault.kind() == Fault.Kind.OPERATOR) {
      giveDisruptiveOrder(fault);
      return;
    }
    int target = fault.target() % (nodes.size() + workers.size() + 1);
    if (target < nodes.size()) {
      injectIntoNode(nodes.get(target), fault);
    } else if (target < nodes.size() + workers.size()) {
      injectIntoWorker(workers.get(target - nodes.size()), fault);
    } else {
      operatorHost.inject(fault);
      schedule(fault.duration(), this::startOperatorIfDown);
    }
  }

  private void injectIntoNode(ClusterNode node, Fault fault) {
    node.host().inject(fault);
    switch (fault.kind()) {
      case CRASH, LOST_SUFFIX -> schedule(fault.duration(), () -> startIfDown(node));
      case KEY_LOST -> schedule(fault.duration(), () -> startWithoutKey(node, fault));
      case PROVIDER -> {
        node.keyProvider().makeUnavailable();
        schedule(fault.duration(), node.keyProvider()::makeAvailable);
      }
      case OLD_BINARY -> {
        restart(node, 0);
        schedule(fault.duration(), () -> restart(node, ProcessIdentity.PROTOCOL));
      }
      default -> {} // the host applies it
    }
  }

  private void injectIntoWorker(ClusterWorker worker, Fault fault) {
    worker.host().inject(fault);
    if (fault.kind() == Fault.Kind.PROVIDER) {
      worker.keyProvider().makeUnavailable();
      schedule(fault.duration(), worker.keyProvider()::makeAvailable);
    }
    schedule(fault.duration(), () -> startIfDown(worker));
  }

  /// Restarts the plugin with one key missing or replaced by other bytes.
  private void startWithoutKey(ClusterNode node, Fault fault) {
    if (node.host().isUp() || node.fate() != Fate.SERVING) {
      return;
    }
    int version = 1 + (int) (fault.choice() % plan.targetVersion());
    node.loseKeys();
    node.keyProvider().remove(new KekVersion(version));
    if (fault.choice() % 2 == 0) {
      node.keyProvider().put(InMemoryKekProvider.forgedKek(version));
    }
    node.start();
  }

  /// A second operator gives one order.
  private void giveDisruptiveOrder(Fault fault) {
    SimulatedHost host = world.host("cluster-meddler-" + disruptions++);
    host.start();
    ClusterOperator operator = new ClusterOperator(host, stores);
    KekVersion anyVersion = new KekVersion(1 + (int) (fault.choice() / 16 % plan.targetVersion()));
    ClusterNode anyNode = nodes.get((int) (fault.choice() / 64 % nodes.size()));
    operator
        .orderLoop()
        .orderOnce(() ->
            switch ((int) (fault.choice() % 10)) {
              case 0, 1 -> operator.orders().abort();
              case 2 -> operator.orders().pause();
              case 3 -> rotateOn(operator);
              case 4 -> withdraw(operator, anyVersion);
              case 5, 6 -> forgetAny(operator, anyNode);
              case 7 -> attest(operator, anyVersion, anyNode.cluster());
              case 8 -> operator.removals().disable(anyVersion);
              default ->
                  fault.choice() / 8 % 2 == 0
                      ? operator.removals().undo(anyVersion)
                      : operator.removals().destroy(anyVersion, Duration.ZERO, FenceWaiver.GIVEN);
            });
  }

  private Object rotateOn(ClusterOperator operator) {
    return operator
        .keystore()
        .<Object>map(it -> operator.orders().rotate(it.active(), next(it)))
        .orElse("no keystore");
  }

  private static KekVersion next(Keystore keystore) {
    return new KekVersion(keystore.active().number() + 1);
  }

  private Object withdraw(ClusterOperator operator, KekVersion version) {
    long withdrawn =
        oracle.keystore().stream()
            .flatMap(it -> it.versions().values().stream())
            .filter(it -> it.state() == VersionState.WITHDRAWN)
            .count();
    return withdrawn < MAX_WITHDRAWN ? operator.orders().withdraw(version) : "enough withdrawn";
  }

  /// An operator's word, given without a check.
  private Object attest(ClusterOperator operator, KekVersion version, String cluster) {
    oracle.recordTyped(version, cluster);
    return operator.orders().attest(version, cluster, "I am sure");
  }

  private Object forgetAny(ClusterOperator operator, ClusterNode node) {
    Keystore keystore = operator.keystore().orElse(null);
    if (keystore == null) {
      return "no keystore";
    }
    return operator.knownPlugins(keystore).stream()
        .filter(it -> it.place().host().equals(node.host().name()))
        .findFirst()
        .map(it -> forget(operator, keystore, node, it))
        .orElse("not known");
  }

  /// From the order on the fleet no longer counts on the plugin, unless the order is refused.
  private Object forget(
      ClusterOperator operator, Keystore keystore, ClusterNode node, KnownPlugin plugin) {
    boolean wasKnown = node.isKnown();
    node.setKnown(false);
    Result answer = operator.fleetOrders().forget(keystore, plugin.instance());
    if (answer instanceof Refused && node.fate() == Fate.SERVING) {
      node.setKnown(wasKnown || node.isKnown());
    }
    return answer;
  }

  /// What the operator of the plan does outside the store.
  private final class PlanField implements ClusterPlan.Field {
    @Override
    public void migrate(Keystore keystore) {
      apiServers.forEach(it -> it.migrate(keystore.activations().getLast()));
    }

    @Override
    public List<Object> attestTruthfully(ClusterOperator operator, Keystore keystore) {
      List<String> clusters = operator.orders().clustersToAttest(keystore);
      for (KekVersion version : ClusterPlan.oldVersions(keystore)) {
        for (String cluster : clusters) {
          if (!keystore.isAttested(version, cluster) && oracle.isUnneeded(version, cluster)) {
            oracle.recordTyped(version, cluster);
            return List.of(operator.orders().attest(version, cluster, "its objects are rewritten"));
          }
        }
      }
      return List.of();
    }

    @Override
    public boolean isGone(KnownPlugin plugin) {
      ClusterNode node = nodeOf(plugin);
      boolean isOtherRun = node.isRegistered() && !plugin.instance().equals(node.instance());
      return node.fate() != Fate.SERVING || isOtherRun;
    }

    @Override
    public Object forget(ClusterOperator operator, Keystore keystore, KnownPlugin plugin) {
      return ClusterFleet.this.forget(operator, keystore, nodeOf(plugin), plugin);
    }

    @Override
    public Optional<Supplier<String>> unfinishedPlugins(Keystore keystore) {
      return nodes.stream()
          .filter(it -> it.fate() != Fate.DEAD && !it.announces(keystore.active()))
          .findFirst()
          .map(it -> () -> it.host().name() + " announces " + it.announced());
    }

    private ClusterNode nodeOf(KnownPlugin plugin) {
      return nodes.stream()
          .filter(it -> it.host().name().equals(plugin.place().host()))
          .findFirst()
          .orElseThrow();
    }
  }

  /// Deletes the bytes of a version on every host.
  private void shredKey(KekVersion version) {
    world.note("cluster-clerk", "deletes the bytes of " + version);
    nodes.forEach(it -> it.keyProvider().remove(version));
    workers.forEach(it -> it.keyProvider().remove(version));
  }

  /// Nodes that are not dead serve again, with all keys.
  @Override
  public void heal() {
    for (ClusterNode node : nodes) {
      if (node.fate() == Fate.DEAD) {
        continue;
      }
      boolean wasStopped = node.fate() == Fate.STOPPED;
      node.setFate(Fate.SERVING);
      node.host().heal();
      node.keyProvider().makeAvailable();
      if (restoreKeys(node) || wasStopped || !node.isCurrent()) {
        restart(node, ProcessIdentity.PROTOCOL);
      }
    }
    for (ClusterWorker worker : workers) {
      worker.host().heal();
      worker.keyProvider().makeAvailable();
      startIfDown(worker);
    }
    operatorHost.heal();
    startOperatorIfDown();
  }

  /// Returns whether the node lacked a key.
  private boolean restoreKeys(ClusterNode node) {
    node.restoreKeys();
    return node.keyProvider().restoreGenuineKeks(MAX_VERSIONS, this::isGone);
  }

  private boolean isGone(KekVersion version) {
    return oracle
        .keystore()
        .map(Keystore::versions)
        .map(it -> it.get(version))
        .map(VersionEntry::state)
        .filter(GONE::contains)
        .isPresent();
  }

  @Override
  public void checkInvariants() {}

  @Override
  public Optional<Supplier<String>> unfinishedWork() {
    return oracle
        .keystore()
        .map(plan::unfinishedWork)
        .orElse(Optional.of(() -> "there is no keystore"));
  }

  @Override
  public void checkFinalInvariants() {
    oracle.requireReadable();
    oracle.requireAudited(stores.auditVerdict());
  }
}
