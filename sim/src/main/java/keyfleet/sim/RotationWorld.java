package keyfleet.sim;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Decision.Next;
import keyfleet.keyring.Event;
import keyfleet.keyring.Event.Of;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Job;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Removal;
import keyfleet.keyring.Roster;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Aborted;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.Rotation.Fencing;
import keyfleet.keyring.Rotation.Opening;
import keyfleet.keyring.Rotation.Proving;
import keyfleet.keyring.Rotation.Rewrapping;
import keyfleet.keyring.Rotation.Settling;
import keyfleet.keyring.Rotation.Staged;
import keyfleet.keyring.Rotation.Sweeping;
import keyfleet.keyring.VersionState;
import keyfleet.sim.Explorer.Step;
import keyfleet.sim.Writer.Lease;

/// A fleet in the middle of a rotation: one keystore, one fenced collection, writers and drivers.
///
/// @param records the version that each record carries
/// @param orders what operators will still order: each is given once, at any time
public record RotationWorld(
    Keystore keystore,
    List<KekVersion> records,
    Fence fence,
    List<Writer> writers,
    List<Worker> workers,
    Set<KekVersion> destroyed,
    List<Event> orders,
    Laws laws)
    implements Explorer.State<RotationWorld> {

  public RotationWorld {
    records = List.copyOf(records);
    writers = List.copyOf(writers);
    workers = List.copyOf(workers);
    destroyed = Set.copyOf(destroyed);
    orders = List.copyOf(orders);
  }

  /// P1: what was written can be read while its version is not destroyed, and nothing is destroyed
  /// under it. P2, K6: a rotation that ended has left no record behind.
  @Override
  public Optional<String> broken() {
    for (KekVersion version : records) {
      if (destroyed.contains(version)) {
        return Optional.of("P1: a record is under " + version + ", which is destroyed");
      }
    }
    return left()
        .filter(records::contains)
        .map(version -> "K6: the rotation ended, and a record is under " + version);
  }

  /// The version that an ended rotation has proved to be gone.
  private Optional<KekVersion> left() {
    return switch (keystore.rotation()) {
      case Completed(Job job) -> Optional.of(job.from());
      case Aborted(Job job) when job.course() == Job.Course.TURNED -> Optional.of(job.from());
      case Rotation _ -> Optional.empty();
    };
  }

  @Override
  public List<Step<RotationWorld>> steps() {
    List<Step<RotationWorld>> steps = new ArrayList<>();
    for (int w = 0; w < writers.size(); w++) {
      new WriterSteps(this, w).addTo(steps);
    }
    for (int d = 0; d < workers.size(); d++) {
      new WorkerSteps(this, d).addTo(steps);
    }
    for (Event order : orders) {
      List<Event> rest = new ArrayList<>(orders);
      rest.remove(order);
      if (laws.decide(keystore, order) instanceof Next(Keystore next)) {
        steps.add(new Step<>(() -> "order " + order, with(next).ordering(rest)));
      }
    }
    addTime(steps);
    addRemoval(steps);
    return steps;
  }

  /// A lease's worth of time: whoever has not reloaded since the flip may not seal any more, awake
  /// or asleep.
  private void addTime(List<Step<RotationWorld>> steps) {
    List<Writer> later =
        writers.stream().map(w -> w.epoch() == keystore.epoch() ? w : w.outOfLease()).toList();
    if (!later.equals(writers)) {
      steps.add(new Step<>(() -> "a lease's time passes", writing(later)));
    }
  }

  private void addRemoval(List<Step<RotationWorld>> steps) {
    keystore
        .versions()
        .forEach((version, known) -> {
          if (known.state() == VersionState.DECRYPT_ONLY
              && Removal.disable(keystore, version, evidence(version))
                  instanceof Next(Keystore next)) {
            steps.add(new Step<>(() -> "disable " + version, with(next)));
          }
          if (known.state() == VersionState.DISABLED
              && Removal.destroy(keystore, version, evidence(version), Duration.ZERO)
                  instanceof Next(Keystore next)) {
            steps.add(new Step<>(() -> "destroy " + version, with(next).without(version)));
          }
        });
  }

  private Removal.Evidence evidence(KekVersion version) {
    long count = records.stream().filter(version::equals).count();
    return new Removal.Evidence(
        roster(),
        Map.of("records", new Removal.Counted(count, true)),
        Duration.ZERO,
        Duration.ZERO);
  }

  /// Whoever sleeps has left the roster: its heartbeat expired.
  Roster roster() {
    List<Heartbeat> beats = new ArrayList<>();
    for (int w = 0; w < writers.size(); w++) {
      Writer writer = writers.get(w);
      if (writer.isAwake()) {
        var origin = new Heartbeat.Origin("writer-" + w, "run", "api", "0");
        beats.add(
            new Heartbeat(origin, Map.of(), writer.current(), 1, writer.epoch(), Instant.EPOCH));
      }
    }
    return new Roster(beats, Instant.EPOCH);
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
    for (Worker worker : workers) {
      Event.Driven report = worker.report();
      hash = mixed(hash, worker.hashCode());
      hash = mixed(hash, report == null ? 0 : report.getClass().hashCode());
    }
    return mixed(hash, orders.size());
  }

  private static int mixed(int hash, int part) {
    int product = (hash ^ part) * 0x9E3779B1;
    return product ^ product >>> 15;
  }

  /// Whether the present rotation is in a phase in which workers move records, and where to.
  Optional<KekVersion> moving() {
    return switch (keystore.rotation()) {
      case Rewrapping(Job job) -> Optional.of(job.to());
      case Sweeping(Job job) -> Optional.of(job.to());
      case Rotation _ -> Optional.empty();
    };
  }

  /// What a worker can find done now, to report it some time.
  Optional<Event.Driven> finding() {
    return Rotation.underWay(keystore.rotation())
        .map(job -> new Of(job.id(), keystore.epoch()))
        .flatMap(this::finding);
  }

  private Optional<Event.Driven> finding(Of of) {
    return switch (keystore.rotation()) {
      case Staged _ -> Optional.of(new Event.GatePassed(of));
      case Rewrapping _ -> Optional.of(new Event.PassEnded(of));
      case Settling _ when isSettled() -> Optional.of(new Event.Settled(of));
      case Sweeping _ -> Optional.of(new Event.SweepEnded(of));
      case Proving(Job job) ->
          Optional.of(
              records.stream().allMatch(job.to()::equals)
                  ? new Event.Proved(of)
                  : new Event.Straggled(of));
      case Rotation _ -> Optional.empty();
    };
  }

  private boolean isSettled() {
    return writers.stream()
        .allMatch(w -> w.epoch() == keystore.epoch() || w.lease() == Lease.RUN_OUT);
  }

  boolean isArming() {
    return keystore.rotation() instanceof Opening || keystore.rotation() instanceof Fencing;
  }

  /// A store write; the compare-and-sets of others on that record will fail.
  RotationWorld written(int record, KekVersion version) {
    List<KekVersion> changed = new ArrayList<>(records);
    changed.set(record, version);
    List<Worker> seeing = workers.stream().map(w -> w.seeing(record)).toList();
    return new RotationWorld(keystore, changed, fence, writers, seeing, destroyed, orders, laws);
  }

  RotationWorld with(Keystore next) {
    return new RotationWorld(next, records, fence, writers, workers, destroyed, orders, laws);
  }

  RotationWorld fenced(Fence next) {
    return new RotationWorld(keystore, records, next, writers, workers, destroyed, orders, laws);
  }

  RotationWorld writing(List<Writer> next) {
    return new RotationWorld(keystore, records, fence, next, workers, destroyed, orders, laws);
  }

  RotationWorld working(List<Worker> next) {
    return new RotationWorld(keystore, records, fence, writers, next, destroyed, orders, laws);
  }

  private RotationWorld ordering(List<Event> next) {
    return new RotationWorld(keystore, records, fence, writers, workers, destroyed, next, laws);
  }

  private RotationWorld without(KekVersion version) {
    Set<KekVersion> more = new HashSet<>(destroyed);
    more.add(version);
    return new RotationWorld(keystore, records, fence, writers, workers, more, orders, laws);
  }
}
