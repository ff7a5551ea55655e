package keyfleet.sim.explore;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.Proof;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision;
import keyfleet.keyring.KeystoreDecision.Accepted;
import keyfleet.keyring.KnownPlugin;
import keyfleet.keyring.ReadinessGate;
import keyfleet.keyring.Roster;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.RotationEvent;
import keyfleet.keyring.RotationEvent.RotationEpoch;
import keyfleet.keyring.RotationId;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.VersionRemoval;
import keyfleet.keyring.VersionState;
import keyfleet.sim.explore.Explorer.Step;
import keyfleet.sim.explore.PluginState.View;
import org.jspecify.annotations.Nullable;

/// The plugins of one cluster during the rotations of a kms keyring, and one object in etcd.
/// `spec/Plugins.tla` describes the same system; a test compares the numbers of states.
///
/// @param known the plugins that the fleet waits for, by index
/// @param object the version that the object needs
/// @param report what the driver has found out and not reported yet
/// @param orders what operators will still do, each once and at any time
public record PluginModelState(
    Keystore keystore,
    Set<Integer> known,
    List<PluginState> plugins,
    KekVersion object,
    RotationEvent.@Nullable DriverEvent report,
    Set<Order> orders,
    PluginProtocol protocol)
    implements Explorer.State<PluginModelState> {
  private static final int PROTOCOL = 1;
  private static final String CLUSTER = "cluster";
  private static final String PROVIDER = "env";

  /// Any proof will do: the explorer does not model wrong bytes.
  private static final Proof PROOF = Proof.parse("00".repeat(32)).orElseThrow();

  /// What operators do. Attesting and disabling are always possible.
  public enum Order {
    ROTATE_TO_2,
    ROTATE_TO_3,
    ABORT,
    WITHDRAW,
    FORGET
  }

  public PluginModelState {
    known = Set.copyOf(known);
    plugins = List.copyOf(plugins);
    orders = Set.copyOf(orders);
  }

  /// Established plugins, and an operator who will do everything once.
  static PluginModelState start(Keystore keystore, int plugins, PluginProtocol protocol) {
    return new PluginModelState(
        keystore,
        IntStream.range(0, plugins).boxed().collect(Collectors.toSet()),
        Collections.nCopies(plugins, PluginState.established(keystore)),
        keystore.active(),
        null,
        Set.of(Order.values()),
        protocol);
  }

  /// P12: the object's version is kept, and every known plugin can open it. P13: a rotation ends
  /// only when every earlier version is attested, and what is attested is true. A proof is looked
  /// for only after every known plugin has followed.
  @Override
  public Optional<String> violation() {
    VersionState state = keystore.stateOf(object).orElseThrow();
    if (state != VersionState.ACTIVE && state != VersionState.DECRYPT_ONLY) {
      return Optional.of("P12: the object needs " + object + ", which is " + state);
    }
    if (known.stream().anyMatch(it -> !plugins.get(it).loaded().contains(object))) {
      return Optional.of("P12: a known plugin lacks " + object);
    }
    if (isProved() && !keystore.decryptOnlyVersions().stream().allMatch(this::isAttested)) {
      return Optional.of("P13: the rotation ended without an operator's word");
    }
    if (keystore.rotation() instanceof Rotation.Proving
        && known.stream().anyMatch(it -> !isFollowing(plugins.get(it)))) {
      return Optional.of("P12: a known plugin has not followed");
    }
    return keystore.versions().keySet().stream()
        .filter(it -> isAttested(it) && !isUnneeded(it))
        .map(it -> "P13: " + it + " is attested, and needed")
        .findFirst();
  }

  private boolean isProved() {
    return keystore.rotation() instanceof Rotation.Completed
        || (keystore.rotation() instanceof Rotation.Aborted(RotationJob job)
            && job.course() == RotationJob.Course.TURNED);
  }

  private boolean isFollowing(PluginState plugin) {
    return plugin.view().announced().equals(keystore.active());
  }

  private boolean isAttested(KekVersion version) {
    return keystore.isAttested(version, CLUSTER);
  }

  /// Nothing needs the version, and no plugin announces it, also none that was forgotten.
  private boolean isUnneeded(KekVersion version) {
    return !object.equals(version)
        && plugins.stream()
            .noneMatch(it -> it.seed().equals(version) || it.view().announced().equals(version));
  }

  @Override
  public List<Step<PluginModelState>> steps() {
    List<Step<PluginModelState>> steps = new ArrayList<>();
    for (int p = 0; p < plugins.size(); p++) {
      addPluginSteps(steps, p);
    }
    addDriverSteps(steps);
    orders.forEach(order -> addOrder(steps, order));
    keystore.versions().keySet().forEach(version -> addRemoval(steps, version));
    return steps;
  }

  private void addPluginSteps(List<Step<PluginModelState>> steps, int index) {
    PluginState plugin = plugins.get(index);
    addChange(steps, index, "falls silent", PluginState::silent);
    addChange(steps, index, "loads", it -> it.withLoaded(keystore.versions().keySet()));
    addChange(steps, index, "sends a heartbeat", PluginState::withHeartbeat);
    if (plugin.isHeard()) {
      addChange(steps, index, "reads the keystore", it -> it.withKeystoreRead(keystore));
    }
    addChange(steps, index, "is polled", PluginState::withPoll);
    addStep(steps, () -> "API server " + index + " writes", withObject(plugin.seed()));
  }

  private void addChange(
      List<Step<PluginModelState>> steps,
      int index,
      String what,
      UnaryOperator<PluginState> change) {
    List<PluginState> changed = new ArrayList<>(plugins);
    changed.set(index, change.apply(plugins.get(index)));
    addStep(steps, () -> "plugin " + index + " " + what, withPlugins(changed));
  }

  private void addStep(
      List<Step<PluginModelState>> steps, Supplier<String> what, PluginModelState next) {
    if (!next.equals(this)) {
      steps.add(new Step<>(what, next));
    }
  }

  private void addDriverSteps(List<Step<PluginModelState>> steps) {
    RotationEvent.DriverEvent pending = report;
    if (pending != null) {
      PluginModelState idle = withReport(null);
      steps.add(
          new Step<>(
              () -> "the driver reports " + pending,
              protocol.decide(keystore, pending) instanceof Accepted(Keystore next)
                  ? idle.withKeystore(next)
                  : idle));
      return;
    }
    Rotation.unfinishedJob(keystore.rotation())
        .flatMap(this::reportableEvent)
        .ifPresent(event -> {
          steps.add(new Step<>(() -> "the driver finds " + event, withReport(event)));
        });
  }

  private Optional<RotationEvent.DriverEvent> reportableEvent(RotationJob job) {
    RotationEpoch at = new RotationEpoch(job.id(), keystore.epoch());
    return switch (keystore.rotation()) {
      case Rotation.Staged _ ->
          Optional.of(
              isReady(job.to())
                  ? new RotationEvent.GatePassed(at)
                  : new RotationEvent.Unstaged(at));
      case Rotation.Settling _ when protocol.isSettled(knownPlugins(), roster(), keystore) ->
          Optional.of(new RotationEvent.Settled(at));
      case Rotation.Proving _ when protocol.isAttested(keystore, CLUSTER) ->
          Optional.of(new RotationEvent.Proved(at));
      case Rotation _ -> Optional.empty();
    };
  }

  private boolean isReady(KekVersion target) {
    List<KnownPlugin> waitedFor = protocol.pluginsOfGate(knownPlugins());
    return new ReadinessGate(keystore, target, PROTOCOL, (_, _) -> true, waitedFor)
            .evaluate(roster(), new ReadinessGate.AnyProcesses())
        instanceof ReadinessGate.Ready;
  }

  private List<KnownPlugin> knownPlugins() {
    return known.stream()
        .map(it ->
            new KnownPlugin(new KnownPlugin.Place(CLUSTER, name(it), "/plugin.sock"), name(it)))
        .toList();
  }

  private Roster roster() {
    return new Roster(
        IntStream.range(0, plugins.size())
            .mapToObj(it -> heartbeat(name(it), plugins.get(it)))
            .flatMap(Optional::stream)
            .toList(),
        Instant.EPOCH);
  }

  private static String name(int index) {
    return "plugin-" + index;
  }

  private static Optional<Heartbeat> heartbeat(String instance, PluginState plugin) {
    View said = plugin.said();
    if (said == null) {
      return Optional.empty();
    }
    Map<KekVersion, Heartbeat.LoadedVersion> loaded = new HashMap<>();
    plugin
        .shown()
        .forEach(it ->
            loaded.put(it, new Heartbeat.LoadedVersion(PROVIDER, new Heartbeat.Proved(PROOF))));
    return Optional.of(
        new Heartbeat(
            new Heartbeat.ProcessInfo(instance, "run", "kms-plugin", "0"),
            loaded,
            said.announced(),
            PROTOCOL,
            said.epoch(),
            Instant.EPOCH));
  }

  private void addOrder(List<Step<PluginModelState>> steps, Order order) {
    switch (order) {
      case ROTATE_TO_2 -> addChange(steps, order, rotateTo(new KekVersion(2)));
      case ROTATE_TO_3 -> addChange(steps, order, rotateTo(new KekVersion(3)));
      case ABORT ->
          addChange(steps, order, protocol.decide(keystore, new RotationEvent.AbortRequested()));
      case WITHDRAW ->
          keystore
              .versions()
              .keySet()
              .forEach(version -> {
                if (!keystore.stateOf(version).equals(Optional.of(VersionState.WITHDRAWN))) {
                  addChange(steps, order, keystore.withdraw(version));
                }
              });
      case FORGET ->
          known.stream()
              .filter(it -> !plugins.get(it).isHeard())
              .forEach(
                  it -> steps.add(new Step<>(() -> "forget " + name(it), withoutKnown(it, order))));
    }
  }

  private KeystoreDecision rotateTo(KekVersion version) {
    RotationId id = new RotationId("to-" + version);
    return protocol.decide(
        keystore, new RotationEvent.StartRequested(id, keystore.active(), version, "driver"));
  }

  private void addChange(
      List<Step<PluginModelState>> steps, Order order, KeystoreDecision decision) {
    if (decision instanceof Accepted(Keystore next)) {
      steps.add(new Step<>(() -> "order " + order, withKeystore(next).withoutOrder(order)));
    }
  }

  /// Attests what is true, and disables what is attested.
  private void addRemoval(List<Step<PluginModelState>> steps, KekVersion version) {
    if (isUnneeded(version) && keystore.attest(version, CLUSTER) instanceof Accepted(Keystore it)) {
      steps.add(new Step<>(() -> "attest " + version, withKeystore(it)));
    }
    VersionRemoval.CountResult count =
        isAttested(version)
            ? new VersionRemoval.Counted(0, false)
            : new VersionRemoval.NotCounted("not attested");
    VersionRemoval.Evidence evidence =
        new VersionRemoval.Evidence(roster(), Map.of(CLUSTER, count), Duration.ZERO, Duration.ZERO);
    if (VersionRemoval.disable(keystore, version, evidence) instanceof Accepted(Keystore it)) {
      steps.add(new Step<>(() -> "disable " + version, withKeystore(it)));
    }
  }

  private PluginModelState withKeystore(Keystore next) {
    return new PluginModelState(next, known, plugins, object, report, orders, protocol);
  }

  private PluginModelState withPlugins(List<PluginState> next) {
    return new PluginModelState(keystore, known, next, object, report, orders, protocol);
  }

  private PluginModelState withObject(KekVersion next) {
    return new PluginModelState(keystore, known, plugins, next, report, orders, protocol);
  }

  private PluginModelState withReport(RotationEvent.@Nullable DriverEvent next) {
    return new PluginModelState(keystore, known, plugins, object, next, orders, protocol);
  }

  private PluginModelState withoutKnown(int plugin, Order order) {
    Set<Integer> rest = new TreeSet<>(known);
    rest.remove(plugin);
    return new PluginModelState(keystore, rest, plugins, object, report, orders, protocol)
        .withoutOrder(order);
  }

  private PluginModelState withoutOrder(Order order) {
    Set<Order> rest = new TreeSet<>(orders);
    rest.remove(order);
    return new PluginModelState(keystore, known, plugins, object, report, rest, protocol);
  }

  /// Phases and events with equal components have equal hashes, so the types are mixed in.
  @Override
  public int hashCode() {
    int hash = keystore.rotation().getClass().getName().hashCode();
    hash = 31 * hash + keystore.rotation().hashCode();
    hash = 31 * hash + keystore.versions().hashCode();
    hash = 31 * hash + Long.hashCode(keystore.epoch());
    hash = 31 * hash + plugins.hashCode();
    hash = 31 * hash + known.hashCode();
    hash = 31 * hash + object.hashCode();
    hash = 31 * hash + (report == null ? 0 : report.getClass().hashCode() + report.hashCode());
    return 31 * hash + orders.hashCode();
  }
}
