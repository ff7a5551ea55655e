package keyfleet.sim.explore;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision.Accepted;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Aborted;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.RotationEvent;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.VersionRemoval;
import keyfleet.keyring.VersionState;
import keyfleet.sim.explore.Explorer.Step;
import keyfleet.sim.explore.RotationDriverState.Intent;
import keyfleet.sim.explore.RotationDriverState.RaiseFence;
import keyfleet.sim.explore.RotationDriverState.ReportEvent;
import keyfleet.sim.explore.WriterState.SealRight;
import keyfleet.store.Fence;
import org.jspecify.annotations.Nullable;

/// A fleet in the middle of a rotation: one keystore, one fenced collection, writers and drivers.
/// `spec/Rotation.tla` describes the same system; a test compares how many states each has.
///
/// @param records the versions that each record carries
/// @param orders what operators will still order: each is given once, at any time
public record RotationModelState(
    Keystore keystore,
    List<FieldVersions> records,
    Fence fence,
    List<WriterState> writers,
    List<RotationDriverState> workers,
    List<RotationEvent> orders,
    RotationProtocol laws)
    implements Explorer.State<RotationModelState> {

  public RotationModelState {
    records = List.copyOf(records);
    writers = List.copyOf(writers);
    workers = List.copyOf(workers);
    orders = List.copyOf(orders);
  }

  /// P1: what was written can be read while its version is not destroyed, and nothing is destroyed
  /// under it. P2, K6: a rotation that ended has left no record behind. K1: what records carry,
  /// every admitted process has.
  @Override
  public Optional<String> broken() {
    return lost().or(this::leftBehind).or(this::shutOut);
  }

  private Optional<String> lost() {
    return keystore.versions().keySet().stream()
        .filter(it -> keystore.stateOf(it).equals(Optional.of(VersionState.DESTROYING)))
        .filter(it -> carrying(it) > 0)
        .map(it -> "P1: a record carries " + it + ", which is destroyed")
        .findFirst();
  }

  private Optional<String> leftBehind() {
    return left()
        .filter(it -> carrying(it) > 0)
        .map(it -> "K6: the rotation ended, and a record carries " + it);
  }

  /// The version that an ended rotation has proved to be gone.
  private Optional<KekVersion> left() {
    return switch (keystore.rotation()) {
      case Completed(RotationJob rotationJob) -> Optional.of(rotationJob.from());
      case Aborted(RotationJob rotationJob)
          when rotationJob.course() == RotationJob.Course.TURNED ->
          Optional.of(rotationJob.from());
      case Rotation _ -> Optional.empty();
    };
  }

  private Optional<String> shutOut() {
    Set<KekVersion> used = new TreeSet<>();
    records.forEach(tags -> used.addAll(tags.ofFields()));
    return writers.stream()
        .filter(it -> it.right() == SealRight.ADMITTED && !it.keys().loaded().containsAll(used))
        .map(it -> "K1: records carry " + used + ", an admitted process has " + it.keys().loaded())
        .findFirst();
  }

  @Override
  public List<Step<RotationModelState>> steps() {
    List<Step<RotationModelState>> steps = new ArrayList<>();
    for (int w = 0; w < writers.size(); w++) {
      new WriterSteps(this, w).addTo(steps);
    }
    for (int d = 0; d < workers.size(); d++) {
      new RotationDriverSteps(this, d).addTo(steps);
    }
    addOrders(steps);
    addTime(steps);
    addRemoval(steps);
    return steps;
  }

  private void addOrders(List<Step<RotationModelState>> steps) {
    for (RotationEvent order : orders) {
      List<RotationEvent> rest = new ArrayList<>(orders);
      rest.remove(order);
      if (laws.decide(keystore, order) instanceof Accepted(Keystore next)) {
        steps.add(new Step<>(() -> "order " + order, with(next).ordering(rest)));
      }
    }
  }

  /// A lease's worth of time: whoever has not read the keystore since the flip may not seal any
  /// more, awake or asleep.
  private void addTime(List<Step<RotationModelState>> steps) {
    List<WriterState> later =
        writers.stream()
            .map(it ->
                it.view().epoch() == keystore.epoch() ? it : it.outOfLease(laws.sleepersClock()))
            .toList();
    if (!later.equals(writers)) {
      steps.add(new Step<>(() -> "a lease's time passes", writing(later)));
    }
  }

  /// Destroying may delete the bytes at once, so the version counts as gone from then on.
  private void addRemoval(List<Step<RotationModelState>> steps) {
    keystore
        .versions()
        .forEach((version, known) -> {
          VersionRemoval.Evidence evidence = new RotationEvidence(this).evidence(version);
          if (known.state() == VersionState.DECRYPT_ONLY
              && VersionRemoval.disable(keystore, version, evidence)
                  instanceof Accepted(Keystore next)) {
            steps.add(new Step<>(() -> "disable " + version, with(next)));
          }
          if (known.state() == VersionState.DISABLED
              && VersionRemoval.startDestroying(keystore, version, evidence, Duration.ZERO)
                  instanceof Accepted(Keystore next)) {
            steps.add(new Step<>(() -> "destroy " + version, with(next)));
          }
        });
  }

  /// How many records need `version` to be read.
  long carrying(KekVersion version) {
    return records.stream().filter(tags -> tags.carries(version)).count();
  }

  /// Records of one shape have one hash whatever their type, and most phases and reports have one
  /// shape: their types must count, or nearly all worlds fall into one bucket.
  @Override
  public int hashCode() {
    int hash = keystore.rotation().getClass().hashCode();
    hash = mixed(hash, keystore.rotation().hashCode());
    hash = mixed(hash, Long.hashCode(keystore.epoch()));
    hash = mixed(hash, records.hashCode());
    hash = mixed(hash, fence.hashCode());
    hash = mixed(hash, writers.hashCode());
    for (RotationDriverState worker : workers) {
      hash = mixed(hash, worker.hashCode());
      hash = mixed(hash, kind(worker.intent()));
    }
    return mixed(hash, orders.size());
  }

  private static int kind(@Nullable Intent intent) {
    return switch (intent) {
      case RaiseFence(_, RotationEvent.DriverEvent once) -> once.getClass().hashCode() + 1;
      case ReportEvent(RotationEvent.DriverEvent event) -> event.getClass().hashCode();
      case null, default -> 0;
    };
  }

  private static int mixed(int hash, int part) {
    int product = (hash ^ part) * 0x9E3779B1;
    return product ^ product >>> 15;
  }

  /// A store write, if the fence lets it pass; then the compare-and-sets of others on that record
  /// will fail.
  RotationModelState written(int record, FieldVersions after) {
    if (!laws.allows(fence, records.get(record).sealed(keystore), after.sealed(keystore))) {
      return this;
    }
    List<FieldVersions> changed = new ArrayList<>(records);
    changed.set(record, after);
    List<RotationDriverState> seeing = workers.stream().map(it -> it.seeing(record)).toList();
    return new RotationModelState(keystore, changed, fence, writers, seeing, orders, laws);
  }

  RotationModelState with(Keystore next) {
    return new RotationModelState(next, records, fence, writers, workers, orders, laws);
  }

  RotationModelState fenced(Fence next) {
    return new RotationModelState(keystore, records, next, writers, workers, orders, laws);
  }

  RotationModelState writing(List<WriterState> next) {
    return new RotationModelState(keystore, records, fence, next, workers, orders, laws);
  }

  RotationModelState working(List<RotationDriverState> next) {
    return new RotationModelState(keystore, records, fence, writers, next, orders, laws);
  }

  private RotationModelState ordering(List<RotationEvent> next) {
    return new RotationModelState(keystore, records, fence, writers, workers, next, laws);
  }
}
