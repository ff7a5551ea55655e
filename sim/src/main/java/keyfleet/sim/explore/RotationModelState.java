package keyfleet.sim.explore;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.control.rewrap.CollectionSet;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision;
import keyfleet.keyring.KeystoreDecision.Accepted;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Aborted;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.RotationEvent;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.VersionRemoval;
import keyfleet.keyring.VersionRemoval.FenceWaiver;
import keyfleet.keyring.VersionState;
import keyfleet.member.document.FenceMarks;
import keyfleet.sim.explore.Explorer.Step;
import keyfleet.sim.explore.RotationDriverState.Intent;
import keyfleet.sim.explore.RotationDriverState.RaiseFence;
import keyfleet.sim.explore.RotationDriverState.ReportEvent;
import keyfleet.sim.explore.WriterState.SealRight;
import keyfleet.store.Fence;
import org.jspecify.annotations.Nullable;

/// A fleet during a rotation: one keystore, one fenced collection, writers and drivers.
/// `spec/Rotation.tla` describes the same system; a test compares the numbers of states.
///
/// @param records the versions of each record
/// @param orders what operators will still do, each once and at any time
public record RotationModelState(
    Keystore keystore,
    List<FieldVersions> records,
    Fence fence,
    List<WriterState> writers,
    List<RotationDriverState> drivers,
    List<RotationOrder> orders,
    RotationProtocol protocol)
    implements Explorer.State<RotationModelState> {

  public RotationModelState {
    records = List.copyOf(records);
    writers = List.copyOf(writers);
    drivers = List.copyOf(drivers);
    orders = List.copyOf(orders);
  }

  /// P1, P14: no version is destroyed or withdrawn while a record contains it. P2, K6: an ended
  /// rotation has left no record behind. K1: every admitted process has the versions that records
  /// carry.
  @Override
  public Optional<String> violation() {
    return destroyedButCarried().or(this::carriedAfterRotation).or(this::admittedWithoutKey);
  }

  private Optional<String> destroyedButCarried() {
    return keystore.versions().entrySet().stream()
        .filter(it ->
            it.getValue().state() == VersionState.DESTROYING
                || it.getValue().state() == VersionState.WITHDRAWN)
        .filter(it -> recordsCarrying(it.getKey()) > 0)
        .map(it ->
            "P1: a record carries %s, which is %s".formatted(it.getKey(), it.getValue().state()))
        .findFirst();
  }

  private Optional<String> carriedAfterRotation() {
    return provedUnused()
        .filter(it -> recordsCarrying(it) > 0)
        .map(it -> "K6: the rotation ended, but a record carries " + it);
  }

  /// The version that an ended rotation has proved to be unused.
  private Optional<KekVersion> provedUnused() {
    return switch (keystore.rotation()) {
      case Completed(RotationJob job) -> Optional.of(job.from());
      case Aborted(RotationJob job) when job.course() == RotationJob.Course.TURNED ->
          Optional.of(job.from());
      case Rotation _ -> Optional.empty();
    };
  }

  private Optional<String> admittedWithoutKey() {
    Set<KekVersion> used = new TreeSet<>();
    records.forEach(versions -> used.addAll(versions.byField()));
    return writers.stream()
        .filter(it -> it.sealRight() == SealRight.ADMITTED && !it.keys().loaded().containsAll(used))
        .map(it ->
            "K1: records carry " + used + ", but an admitted process has " + it.keys().loaded())
        .findFirst();
  }

  @Override
  public List<Step<RotationModelState>> steps() {
    List<Step<RotationModelState>> steps = new ArrayList<>();
    for (int w = 0; w < writers.size(); w++) {
      new WriterSteps(this, w).addTo(steps);
    }
    for (int d = 0; d < drivers.size(); d++) {
      new RotationDriverSteps(this, d).addTo(steps);
    }
    addOrders(steps);
    addTime(steps);
    addRemoval(steps);
    return steps;
  }

  private void addOrders(List<Step<RotationModelState>> steps) {
    for (RotationOrder order : orders) {
      List<RotationOrder> rest = new ArrayList<>(orders);
      rest.remove(order);
      for (KeystoreDecision decision : decide(order)) {
        if (decision instanceof Accepted(Keystore next)) {
          steps.add(new Step<>(() -> "order " + order, withKeystore(next).withOrders(rest)));
        }
      }
    }
    if (keystore.rotation() instanceof Rotation.Idle && keystore.epoch() > fence.term().epoch()) {
      steps.add(new Step<>(() -> "the operator moves the fence", withFence(fenceOfKeystore())));
    }
  }

  /// A resolution has two results, because the operator decides for one side.
  private List<KeystoreDecision> decide(RotationOrder order) {
    return switch (order) {
      case RotationOrder.Request(RotationEvent event) when !isHeld() ->
          List.of(protocol.decide(keystore, event));
      case RotationOrder.Withdraw(KekVersion version) when !isHeld() ->
          List.of(protocol.withdraw(keystore, version));
      case RotationOrder.Restore(Keystore backup) when isRestorable(backup) ->
          List.of(new Accepted(backup));
      case RotationOrder.Resolve() ->
          List.of(
              protocol.adoptFence(keystore, FenceMarks.of(fence)),
              protocol.acceptKeystore(keystore, FenceMarks.of(fence)));
      case RotationOrder _ -> List.of();
    };
  }

  /// Whether the fence is ahead of the keystore, and the fleet sees it.
  boolean isHeld() {
    return protocol.isHeld(keystore, FenceMarks.of(fence));
  }

  private Fence fenceOfKeystore() {
    return CollectionSet.fenceOf(keystore);
  }

  /// The fence must tell all that is lost with the keystore.
  private boolean isRestorable(Keystore backup) {
    return keystore.epoch() > backup.epoch()
        && fence.equals(fenceOfKeystore())
        && records.stream()
            .flatMap(it -> it.byField().stream())
            .allMatch(it -> it.equals(backup.active()) || fence.writable().contains(it));
  }

  /// The time of a lease passes: a writer that has not read the keystore since the flip may no
  /// longer seal, awake or asleep.
  private void addTime(List<Step<RotationModelState>> steps) {
    List<WriterState> expired =
        writers.stream()
            .map(it ->
                it.keystoreView().epoch() == keystore.epoch()
                    ? it
                    : it.withoutLease(protocol.suspendedClock()))
            .toList();
    if (!expired.equals(writers)) {
      steps.add(new Step<>(() -> "a lease's time passes", withWriters(expired)));
    }
  }

  /// Destroying may delete the bytes at once, so the version counts as gone immediately.
  private void addRemoval(List<Step<RotationModelState>> steps) {
    if (isHeld() || !fence.equals(fenceOfKeystore())) {
      return; // a removal raises the fence before it counts
    }
    keystore
        .versions()
        .forEach((version, known) -> {
          VersionRemoval.Evidence evidence = new RotationEvidence(this).removalEvidence(version);
          if (known.state() == VersionState.DECRYPT_ONLY
              && VersionRemoval.disable(keystore, version, evidence)
                  instanceof Accepted(Keystore next)) {
            steps.add(new Step<>(() -> "disable " + version, withKeystore(next)));
          }
          if (known.state() == VersionState.DISABLED
              && VersionRemoval.startDestroying(
                      keystore, version, evidence, Duration.ZERO, FenceWaiver.NONE)
                  instanceof Accepted(Keystore next)) {
            steps.add(new Step<>(() -> "destroy " + version, withKeystore(next)));
          }
        });
  }

  /// How many records need `version` to be opened.
  long recordsCarrying(KekVersion version) {
    return records.stream().filter(versions -> versions.contains(version)).count();
  }

  /// Records with equal components have equal hashes whatever their type, and most phases and
  /// events have the same components. So the types are mixed in, or nearly all states fall into one
  /// bucket.
  @Override
  public int hashCode() {
    int hash = keystore.rotation().getClass().hashCode();
    hash = mix(hash, keystore.rotation().hashCode());
    hash = mix(hash, Long.hashCode(keystore.epoch()));
    hash = mix(hash, records.hashCode());
    hash = mix(hash, fence.hashCode());
    hash = mix(hash, writers.hashCode());
    for (RotationDriverState driver : drivers) {
      hash = mix(hash, driver.hashCode());
      hash = mix(hash, kind(driver.intent()));
    }
    return mix(hash, orders.size());
  }

  private static int kind(@Nullable Intent intent) {
    return switch (intent) {
      case RaiseFence(_, RotationEvent.DriverEvent afterwards) ->
          afterwards.getClass().hashCode() + 1;
      case ReportEvent(RotationEvent.DriverEvent event) -> event.getClass().hashCode();
      case null, default -> 0;
    };
  }

  private static int mix(int hash, int part) {
    int product = (hash ^ part) * 0x9E3779B1;
    return product ^ product >>> 15;
  }

  /// The state after a store write, if the fence allows it; then the compare-and-sets of others on
  /// that record fail.
  RotationModelState withWrite(int record, FieldVersions after) {
    if (!protocol.isWriteAllowed(
        fence, records.get(record).toSealedFields(keystore), after.toSealedFields(keystore))) {
      return this;
    }
    List<FieldVersions> changed = new ArrayList<>(records);
    changed.set(record, after);
    List<RotationDriverState> informed =
        drivers.stream().map(it -> it.afterWriteTo(record)).toList();
    return new RotationModelState(keystore, changed, fence, writers, informed, orders, protocol);
  }

  RotationModelState withKeystore(Keystore next) {
    return new RotationModelState(next, records, fence, writers, drivers, orders, protocol);
  }

  RotationModelState withFence(Fence next) {
    return new RotationModelState(keystore, records, next, writers, drivers, orders, protocol);
  }

  RotationModelState withWriters(List<WriterState> next) {
    return new RotationModelState(keystore, records, fence, next, drivers, orders, protocol);
  }

  RotationModelState withDrivers(List<RotationDriverState> next) {
    return new RotationModelState(keystore, records, fence, writers, next, orders, protocol);
  }

  private RotationModelState withOrders(List<RotationOrder> next) {
    return new RotationModelState(keystore, records, fence, writers, drivers, next, protocol);
  }
}
