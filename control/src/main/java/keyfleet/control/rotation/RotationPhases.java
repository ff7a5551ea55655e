package keyfleet.control.rotation;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import keyfleet.control.rewrap.CollectionSet;
import keyfleet.control.rewrap.FencedCollection;
import keyfleet.control.rewrap.RecordRewrapper;
import keyfleet.control.rewrap.RewrapPass;
import keyfleet.control.rewrap.RotationProgress;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Running;
import keyfleet.keyring.RotationEvent;
import keyfleet.keyring.RotationEvent.RotationEpoch;
import keyfleet.keyring.RotationId;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.WriteLease;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.store.Census;
import keyfleet.store.Fence;
import org.jspecify.annotations.Nullable;

/// The work of a rotation's phases, one bounded unit at a time.
///
/// What it remembers (how far a pass is, how long it has waited) holds for one phase of one
/// rotation in one epoch. Who begins a phase, also by adoption, begins it from the start and waits
/// in full.
final class RotationPhases {
  sealed interface StepResult {}

  /// The phase has come to something.
  record Decided(RotationEvent rotationEvent) implements StepResult {}

  /// There is more to do at once.
  record Continue() implements StepResult {}

  /// Not yet; why is for people.
  record Wait(String why) implements StepResult {}

  private record PhaseRun(RotationId id, long epoch, Class<? extends Rotation> phase) {}

  /// Sweeps that find the same failures before a person is asked.
  private static final int MAX_SWEEPS = 3;

  /// People look at it; each report is a write that waits for the disk.
  private static final Duration REPORT_INTERVAL = Duration.ofMillis(250);

  private final KeyringStore keyringStore;
  private final CollectionCatalog collectionCatalog;
  private final LoadedKeys keys;
  private final LongSupplier clock;
  private @Nullable PhaseRun phaseRun;
  private long waitingSince;
  private @Nullable CollectionSet collections;
  private @Nullable RewrapPass rewrapPass;
  private int sweeps;
  private long rewrapped;
  private @Nullable RotationProgress lastReport;
  private long lastReportAt;

  RotationPhases(
      KeyringStore keyringStore,
      CollectionCatalog collectionCatalog,
      LoadedKeys keys,
      LongSupplier clock) {
    this.keyringStore = keyringStore;
    this.collectionCatalog = collectionCatalog;
    this.keys = keys;
    this.clock = clock;
  }

  /// Begins the phase, unless it was begun already. False if this process does not hold what the
  /// phase needs; it may later.
  boolean enter(Keystore keystore, Rotation rotation, RotationJob rotationJob) {
    PhaseRun run = new PhaseRun(rotationJob.id(), keystore.epoch(), rotation.getClass());
    if (run.equals(phaseRun)) {
      return true;
    }
    if (!keys.canProve(keystore, rotationJob.to())
        || !keys.canProve(keystore, rotationJob.from())) {
      return false;
    }
    phaseRun = run;
    waitingSince = clock.getAsLong();
    collections = null;
    rewrapPass = null;
    sweeps = 0;
    return true;
  }

  /// The collections of this moment. To look one up costs a store as much as a few dozen records,
  /// so that is done once in a phase, as its pass does; and again after a tick that came to
  /// nothing.
  CollectionSet openCollections() {
    CollectionSet found =
        collections == null ? collectionCatalog.open() : collectionCatalog.open(collections);
    collections = found;
    return found;
  }

  void forgetCollections() {
    collections = null;
  }

  StepResult step(Keystore keystore, Running running, CollectionSet collections) {
    RotationJob rotationJob = running.rotationJob();
    RotationEpoch rotationEpoch = new RotationEpoch(rotationJob.id(), keystore.epoch());
    StepResult result =
        switch (running) {
          case Rotation.Staged _ when rotationJob.kind() == RotationJob.Kind.DRY_RUN ->
              dryRun(keystore, rotationJob, collections);
          case Rotation.Staged _ -> checkGate(keystore, rotationJob, collections);
          case Rotation.OpeningFences _ ->
              raiseFences(keystore, collections, new RotationEvent.FencesOpened(rotationEpoch));
          case Rotation.Rewrapping _ -> rewrap(keystore, rotationJob, collections);
          case Rotation.Settling _ -> awaitSettled(keystore, rotationEpoch);
          case Rotation.Fencing _ ->
              raiseFences(keystore, collections, new RotationEvent.Fenced(rotationEpoch));
          case Rotation.Sweeping _ -> sweep(keystore, rotationJob, collections);
          case Rotation.Proving _ -> prove(keystore, rotationJob, collections);
        };
    if (result instanceof Wait(String why)) {
      reportWaiting(rotationJob, why);
    }
    return result;
  }

  private StepResult checkGate(
      Keystore keystore, RotationJob rotationJob, CollectionSet collections) {
    RotationEpoch rotationEpoch = new RotationEpoch(rotationJob.id(), keystore.epoch());
    Optional<String> objection =
        readinessVerifier().findObjection(keystore, rotationJob, collections);
    if (objection.isEmpty()) {
      return new Decided(new RotationEvent.GatePassed(rotationEpoch));
    }
    report(RotationProgress.ofNote(rotationJob.id(), "not ready: " + objection.get()));
    return new Decided(new RotationEvent.Unstaged(rotationEpoch));
  }

  private StepResult dryRun(Keystore keystore, RotationJob rotationJob, CollectionSet collections) {
    RotationEpoch rotationEpoch = new RotationEpoch(rotationJob.id(), keystore.epoch());
    Optional<String> objection =
        readinessVerifier().findObjection(keystore, rotationJob, collections);
    if (objection.isPresent()) {
      report(RotationProgress.ofNote(rotationJob.id(), "not ready: " + objection.get()));
      return new Decided(new RotationEvent.Unstaged(rotationEpoch));
    }
    RewrapPass dryRun =
        rewrapPass == null ? collectionCatalog.newDryRun(collections, rotationJob) : rewrapPass;
    rewrapPass = dryRun;
    if (dryRun.isFinished()) {
      report(dryRun.progress(rotationJob.id(), dryRun.failed() == 0 ? "ready" : "some would fail"));
      return new Decided(new RotationEvent.Unstaged(rotationEpoch));
    }
    dryRun.rewrapBatch(rewrapper(rotationJob));
    return new Continue();
  }

  private StepResult raiseFences(Keystore keystore, CollectionSet collections, RotationEvent done) {
    return collections
        .raiseFences(keystore)
        .<StepResult>map(Wait::new)
        .orElseGet(() -> new Decided(done));
  }

  /// One pass; what it leaves is the sweep's. The gate is asked once more, as processes have come
  /// and gone.
  private StepResult rewrap(Keystore keystore, RotationJob rotationJob, CollectionSet collections) {
    RewrapPass current =
        rewrapPass == null ? collectionCatalog.newRewrap(collections, rotationJob) : rewrapPass;
    rewrapPass = current;
    if (!current.isFinished()) {
      return rewrapBatch(current, keystore, rotationJob, collections);
    }
    return readinessVerifier()
        .findObjection(keystore, rotationJob, collections)
        .<StepResult>map(why -> new Wait("not ready: " + why))
        .orElseGet(() ->
            new Decided(
                new RotationEvent.RewrapEnded(
                    new RotationEpoch(rotationJob.id(), keystore.epoch()))));
  }

  private StepResult awaitSettled(Keystore keystore, RotationEpoch rotationEpoch) {
    Duration lease = keystore.timings().lease();
    return WriteLease.isSettled(
            keyringStore.readRoster(keystore.timings()), keystore.epoch(), waited(), lease)
        ? new Decided(new RotationEvent.Settled(rotationEpoch))
        : new Wait("some process may still seal under the version before");
  }

  private StepResult sweep(Keystore keystore, RotationJob rotationJob, CollectionSet collections) {
    RotationEpoch rotationEpoch = new RotationEpoch(rotationJob.id(), keystore.epoch());
    Optional<StepResult> unfinished = sweepStep(keystore, rotationJob, collections);
    if (unfinished.isPresent()) {
      return unfinished.get();
    }
    long failed = lastSweep().failed();
    rewrapPass = null;
    sweeps++;
    if (failed == 0) {
      return new Decided(new RotationEvent.SweepEnded(rotationEpoch));
    }
    return sweeps < MAX_SWEEPS
        ? new Continue()
        : new Decided(new RotationEvent.RecordsBlocked(rotationEpoch, failed));
  }

  /// Records that nobody could move may be movable by now. Any worker may try, and begins after the
  /// adopt time, again and again.
  StepResult retryFailed(Keystore keystore, RotationJob rotationJob, CollectionSet collections) {
    if (rewrapPass == null && waited().compareTo(keystore.timings().adopt()) < 0) {
      return new Wait("");
    }
    Optional<StepResult> unfinished = sweepStep(keystore, rotationJob, collections);
    if (unfinished.isPresent()) {
      return unfinished.get();
    }
    long failed = lastSweep().failed();
    rewrapPass = null;
    waitingSince = clock.getAsLong();
    return failed == 0
        ? new Decided(
            new RotationEvent.RecordsRepaired(
                new RotationEpoch(rotationJob.id(), keystore.epoch())))
        : new Wait("");
  }

  /// Nothing once the sweep is through.
  private Optional<StepResult> sweepStep(
      Keystore keystore, RotationJob rotationJob, CollectionSet collections) {
    Optional<String> unreachable = collections.findUnreachable();
    if (unreachable.isPresent()) {
      return Optional.of(new Wait(unreachable.get()));
    }
    RewrapPass current =
        rewrapPass == null ? collectionCatalog.newSweep(collections, rotationJob) : rewrapPass;
    rewrapPass = current;
    if (current.isFinished()) {
      report(current.progress(rotationJob.id(), ""));
      return Optional.empty();
    }
    return Optional.of(rewrapBatch(current, keystore, rotationJob, collections));
  }

  private RewrapPass lastSweep() {
    if (rewrapPass == null) {
      throw new IllegalStateException("no sweep was begun");
    }
    return rewrapPass;
  }

  /// A late fence of the same epoch may have narrowed what was opened (ADR 6): then it is opened
  /// again. A fence of a later term means that this driver is out of date.
  private StepResult rewrapBatch(
      RewrapPass current, Keystore keystore, RotationJob rotationJob, CollectionSet collections) {
    long before = current.moved();
    Optional<Fence> refusal = current.rewrapBatch(rewrapper(rotationJob));
    rewrapped += current.moved() - before;
    if (current.isFinished() || isReportDue(keystore)) {
      report(current.progress(rotationJob.id(), ""));
    }
    if (refusal.isEmpty()) {
      return new Continue();
    }
    return collections.raiseFences(keystore).<StepResult>map(Wait::new).orElseGet(Continue::new);
  }

  private StepResult prove(Keystore keystore, RotationJob rotationJob, CollectionSet collections) {
    RotationEpoch rotationEpoch = new RotationEpoch(rotationJob.id(), keystore.epoch());
    Optional<String> unreachable = collections.findUnreachable();
    if (unreachable.isPresent()) {
      return new Wait(unreachable.get());
    }
    List<String> clusters = collections.clustersWithoutCensus(keystore);
    if (!clusters.isEmpty()) {
      return new Wait(String.join(", ", clusters) + ": " + CollectionSet.NO_CENSUS);
    }
    for (FencedCollection collection : collections.reachable()) {
      Census census = collection.takeCensus();
      boolean hasOthers =
          census.carrying().keySet().stream().anyMatch(it -> !it.equals(rotationJob.to()));
      if (hasOthers || census.unreadable() > 0) {
        return new Decided(new RotationEvent.OldRecordsFound(rotationEpoch));
      }
    }
    return new Decided(new RotationEvent.Proved(rotationEpoch));
  }

  /// Over all passes of this process.
  long rewrapped() {
    return rewrapped;
  }

  private ReadinessVerifier readinessVerifier() {
    return new ReadinessVerifier(keyringStore, keys);
  }

  private RecordRewrapper rewrapper(RotationJob rotationJob) {
    return new RecordRewrapper(keys.cipher(), rotationJob);
  }

  /// Of a retry only the end is reported: half of one shows fewer failures than there are.
  private boolean isReportDue(Keystore keystore) {
    return keystore.rotation() instanceof Running
        && Duration.ofNanos(clock.getAsLong() - lastReportAt).compareTo(REPORT_INTERVAL) >= 0;
  }

  private Duration waited() {
    return Duration.ofNanos(clock.getAsLong() - waitingSince);
  }

  /// Says why the rotation waits. The next report of a pass says that it goes on.
  void reportWaiting(RotationJob rotationJob, String why) {
    RotationProgress last = lastReport;
    report(
        last != null && last.rotation().equals(rotationJob.id())
            ? last.withNote(why)
            : RotationProgress.ofNote(rotationJob.id(), why));
  }

  private void report(RotationProgress rotationProgress) {
    if (!rotationProgress.equals(lastReport)) {
      keyringStore.writeProgress(rotationProgress);
      lastReport = rotationProgress;
      lastReportAt = clock.getAsLong();
    }
  }
}
