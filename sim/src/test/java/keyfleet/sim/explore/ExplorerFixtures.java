package keyfleet.sim.explore;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.SecretBytes;
import keyfleet.crypto.Sentinel;
import keyfleet.crypto.SoftwareKek;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision.Accepted;
import keyfleet.keyring.RotationEvent;
import keyfleet.keyring.RotationId;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionState;
import keyfleet.rollout.Component;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.controller.Rollout;
import keyfleet.rollout.controller.RolloutLimits;
import keyfleet.rollout.controller.RolloutProgress;
import keyfleet.rollout.controller.RolloutRun;
import keyfleet.rollout.controller.RolloutSpec;
import keyfleet.rollout.controller.RolloutTimings;
import keyfleet.rollout.node.Node;
import keyfleet.rollout.node.NodeBaseline;
import keyfleet.rollout.plan.RolloutPlan;
import keyfleet.rollout.target.Target;
import keyfleet.rollout.target.TargetParser;
import keyfleet.sim.cipher.FakeCipherProvider;
import keyfleet.sim.explore.RotationOrder.Request;
import keyfleet.store.Fence;
import keyfleet.store.Fence.Term;

/// Small fleets for the explorer, about to rotate from v1 to v2 or to start a rollout.
final class ExplorerFixtures {
  static final KekVersion V1 = new KekVersion(1);
  static final KekVersion V2 = new KekVersion(2);
  private static final KekVersion V3 = new KekVersion(3);

  private static final Sha256 OLD = new Sha256("0".repeat(64));
  private static final Sha256 NEW = new Sha256("1".repeat(64));

  static {
    FakeCipherProvider
        .install(); // before the first lookup of a cipher in this JVM, as in the swarm
  }

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final EnvelopeCipher CIPHER =
      new EnvelopeCipher(KekSet.of(KeyringName.MAIN, List.of(kek(V1), kek(V2), kek(V3))), RANDOM);

  /// Created once, because states are compared and sentinels are random.
  private static final Keystore KEYSTORE = keystore();

  /// The size of a fleet, and its faults.
  record RotationSize(int records, int fields, int writers, int workers, Set<InitialFault> faults) {
    RotationSize {
      faults = Set.copyOf(faults);
    }

    RotationSize(int records, int fields, int writers, int drivers) {
      this(records, fields, writers, drivers, Set.of());
    }

    RotationSize with(InitialFault... more) {
      return new RotationSize(records, fields, writers, workers, Set.of(more));
    }
  }

  enum InitialFault {
    /// The last writer has not joined yet and lacks v2.
    LATE_WRITER,
    /// The last driver drove the previous rotation, and its last fence call has not arrived yet.
    GIVEN_UP_WORKER
  }

  private ExplorerFixtures() {}

  private static SoftwareKek kek(KekVersion version) {
    return new SoftwareKek(version, SecretBytes.random(SoftwareKek.BYTES, RANDOM), RANDOM);
  }

  private static VersionEntry keyVersion(KekVersion version) {
    Sentinel sentinel = Sentinel.create(CIPHER, version, RANDOM).orElseThrow();
    return new VersionEntry("env", sentinel, VersionState.ANNOUNCED);
  }

  private static Keystore keystore() {
    return keystore(Keystore.Use.RECORDS);
  }

  private static Keystore keystore(Keystore.Use use) {
    var identity = new Keystore.Identity("id", 1, use);
    Keystore first = Keystore.bootstrap(identity, keyVersion(V1), Timings.DEFAULT);
    return ((Accepted) first.announce(V2, keyVersion(V2))).keystore();
  }

  private static Keystore pluginKeystore() {
    Keystore two = keystore(Keystore.Use.KMS);
    return ((Accepted) two.announce(V3, keyVersion(V3))).keystore();
  }

  /// Two plugins that have only version 1, and an operator who will do everything once.
  static PluginModelState pluginState(PluginProtocol protocol) {
    return PluginModelState.start(pluginKeystore(), 2, protocol);
  }

  static List<RotationOrder> rotate() {
    return List.of(
        new Request(new RotationEvent.StartRequested(new RotationId("r"), V1, V2, "worker-0")));
  }

  static List<RotationOrder> rotateAndAbort() {
    return List.of(rotate().getFirst(), new Request(new RotationEvent.AbortRequested()));
  }

  static List<RotationOrder> rotateAbortAndWithdraw() {
    return List.of(rotate().getFirst(), rotateAndAbort().getLast(), new RotationOrder.Withdraw(V2));
  }

  static List<RotationOrder> rotateAndRestore() {
    return List.of(
        rotate().getFirst(), new RotationOrder.Restore(KEYSTORE), new RotationOrder.Resolve());
  }

  static RotationModelState rotationState(
      RotationSize rotationSize, List<RotationOrder> orders, RotationProtocol protocol) {
    List<WriterState> writers =
        new ArrayList<>(
            Collections.nCopies(rotationSize.writers(), WriterState.established(KEYSTORE)));
    if (rotationSize.faults().contains(InitialFault.LATE_WRITER)) {
      writers.set(rotationSize.writers() - 1, WriterState.joiningLate(KEYSTORE));
    }
    Fence closed = Fence.of(new Term(1, 1), Set.of(V1));
    List<RotationDriverState> drivers =
        new ArrayList<>(Collections.nCopies(rotationSize.workers(), RotationDriverState.IDLE));
    if (rotationSize.faults().contains(InitialFault.GIVEN_UP_WORKER)) {
      var before =
          new RotationEvent.Fenced(new RotationEvent.RotationEpoch(new RotationId("before"), 1));
      drivers.set(
          rotationSize.workers() - 1,
          new RotationDriverState(new RotationDriverState.RaiseFence(closed, before)));
    }
    List<FieldVersions> records =
        Collections.nCopies(rotationSize.records(), FieldVersions.all(rotationSize.fields(), V1));
    return new RotationModelState(KEYSTORE, records, closed, writers, drivers, orders, protocol);
  }

  /// A rollout to one node at a time with two drivers, and the faults that may happen. `offline`
  /// nodes are updated outside the batches; `unavailable` nodes may be unreachable.
  record RolloutSize(
      int batches, int offline, int unavailable, int faults, int aborts, int rollbacks) {}

  static RolloutModelState rolloutState(RolloutSize size, RolloutProtocol protocol) {
    Component agent = new Component("agent");
    int nodes = size.batches() + size.offline();
    List<NodeId> ids = IntStream.range(0, nodes).mapToObj(n -> new NodeId("n" + n)).toList();
    RolloutPlan plan =
        new RolloutPlan(
            NEW,
            everyNode(),
            List.of(),
            ids.subList(0, size.batches()).stream().map(List::of).toList(),
            ids.subList(size.batches(), nodes),
            List.of());
    RolloutLimits limits = new RolloutLimits(1, 1, size.unavailable(), 1);
    RolloutSpec spec =
        new RolloutSpec(new RolloutId("r"), "i", 1, agent, plan, limits, rolloutTimings());
    Rollout created =
        new Rollout.Created(RolloutRun.of(spec, DriverClaim.NONE, RolloutProgress.EMPTY));
    List<WatchdogState> watchdogs =
        ids.stream()
            .map(id -> WatchdogState.idle(new Node.Idle(NodeBaseline.of(id, agent, OLD))))
            .toList();
    List<RolloutModelState.DriverState> driverStates =
        Collections.nCopies(2, new RolloutModelState.DriverState(DriverClaim.NONE, Map.of()));
    return new RolloutModelState(
        created,
        0,
        Map.of(),
        watchdogs,
        driverStates,
        new RolloutModelState.Allowance(size.faults(), size.aborts(), size.rollbacks()),
        protocol);
  }

  private static Target everyNode() {
    return ((TargetParser.Parsed) TargetParser.parse("*")).target();
  }

  /// No soak and no pause: no time passes in an explored state.
  private static RolloutTimings rolloutTimings() {
    return RolloutTimings.defaults(Duration.ZERO, Duration.ZERO);
  }
}
