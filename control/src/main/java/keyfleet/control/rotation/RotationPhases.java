package keyfleet.control.rotation;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import keyfleet.control.rewrap.CollectionSet;
import keyfleet.control.rewrap.FencedCollection;
import keyfleet.control.rewrap.RecordRewrapper;
import keyfleet.control.rewrap.RewrapPass;
import keyfleet.control.rewrap.RotationProgress;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyfleetException;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KnownPlugin;
import keyfleet.keyring.Roster;
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

/// Does the work of a rotation's phases, one bounded step at a time.
///
/// Its memory (the position of a pass, the time waited) is for one phase of one rotation in one
/// epoch. A process that enters a phase, also by adoption, starts the phase again and waits the
/// full time.
final class RotationPhases {
  sealed interface StepResult {}

  /// The phase has ended with this event.
  record Decided(RotationEvent event) implements StepResult {}

  /// More work can be done immediately.
  record Continue() implements StepResult {}

  /// Nothing can be done now; `why` is for people.
  record Wait(String why) implements StepResult {}

  private record PhaseRun(RotationId id, long epoch, Class<? extends Rotation> phase) {}

  /// How many sweeps may end with failed records before the rotation is blocked.
  private static final int MAX_SWEEPS = 3;

  /// Reports are for people, and each is a write that waits for the disk.
  private static final Duration REPORT_INTERVAL = Duration.ofMillis(250);

  private final KeyringStore keyringStore;
  private final CollectionCatalog collectionCatalog;
  private final LoadedKeys keys;
  private final LongSupplier clock;
  private @Nullable PhaseRun phaseRun;
  private long waitingSince;
  private @Nullable CollectionSet collections;
  private @Nullable RewrapPass rewrapPass;
  private List<CollectionRegistration> passRegistrations = List.of();
  private String failureNote = "";
  private @Nullable RotationRate rate;
  private int sweeps;

  /// Another thread reads it, for the metrics.
  private final AtomicLong rewrapped = new AtomicLong();

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

  /// Enters the phase, unless this process is in it already. Returns false while this process does
  /// not hold the keys of the rotation, which it may lose at any time.
  boolean enter(Keystore keystore, Rotation rotation, RotationJob job) {
    if (!canProveKeys(keystore, job)) {
      return false;
    }
    PhaseRun run = new PhaseRun(job.id(), keystore.epoch(), rotation.getClass());
    if (run.equals(phaseRun)) {
      return true;
    }
    phaseRun = run;
    waitingSince = clock.getAsLong();
    collections = null;
    rewrapPass = null;
    sweeps = 0;
    return true;
  }

  private boolean canProveKeys(Keystore keystore, RotationJob job) {
    return keys.canProve(keystore, job.to()) && keys.canProve(keystore, job.from());
  }

  /// The first version of the job that this process has not loaded. Empty if both are loaded, also
  /// if their provider does not answer now.
  Optional<KekVersion> findLostVersion(RotationJob job) {
    return Stream.of(job.to(), job.from()).filter(it -> keys.find(it).isEmpty()).findFirst();
  }

  /// The collections that are registered now. Opening one costs a store as much as a few dozen
  /// records, so they are opened once in a phase, and again after a failed tick.
  CollectionSet openCollections() {
    CollectionSet found =
        collections == null ? collectionCatalog.open() : collectionCatalog.open(collections);
    if (rewrapPass != null && !found.registrations().containsAll(passRegistrations)) {
      rewrapPass = null; // a collection was unregistered: the pass must not scan it
    }
    passRegistrations = found.registrations();
    collections = found;
    return found;
  }

  void forgetCollections() {
    collections = null;
  }

  /// Reports why a tick failed, unless the store does not take the report either.
  void reportFailure(RotationJob job, String why) {
    try {
      reportWaiting(job, why);
      failureNote = why;
    } catch (KeyfleetException e) {
      failureNote = ""; // the next tick that fails reports again
    }
  }

  /// Takes back the report of a failed tick, unless another report has replaced it.
  void clearFailure(RotationJob job) {
    RotationProgress last = lastReport;
    if (!failureNote.isEmpty() && last != null && last.note().equals(failureNote)) {
      reportWaiting(job, "");
    }
    failureNote = "";
  }

  StepResult step(Keystore keystore, Running running, CollectionSet collections) {
    RotationJob job = running.job();
    RotationEpoch rotationEpoch = new RotationEpoch(job.id(), keystore.epoch());
    StepResult result =
        switch (running) {
          case Rotation.Staged _ when job.kind() == RotationJob.Kind.DRY_RUN ->
              dryRun(keystore, job, collections);
          case Rotation.Staged _ -> checkGate(keystore, job, collections);
          case Rotation.OpeningFences _ ->
              raiseFences(keystore, collections, new RotationEvent.FencesOpened(rotationEpoch));
          case Rotation.Rewrapping _ -> rewrap(keystore, job, collections);
          case Rotation.Settling _ -> awaitSettled(keystore, rotationEpoch);
          case Rotation.Fencing _ ->
              raiseFences(keystore, collections, new RotationEvent.Fenced(rotationEpoch));
          case Rotation.Sweeping _ -> sweep(keystore, job, collections);
          case Rotation.Proving _ -> prove(keystore, job, collections);
        };
    if (result instanceof Wait(String why)) {
      reportWaiting(job, why);
    }
    return result;
  }

  private StepResult checkGate(Keystore keystore, RotationJob job, CollectionSet collections) {
    RotationEpoch rotationEpoch = new RotationEpoch(job.id(), keystore.epoch());
    Optional<String> objection = findObjection(keystore, job, collections);
    if (objection.isEmpty()) {
      return new Decided(new RotationEvent.GatePassed(rotationEpoch));
    }
    report(RotationProgress.ofNote(job.id(), "not ready: " + objection.get()));
    return new Decided(new RotationEvent.Unstaged(rotationEpoch));
  }

  /// A process that has just lost a key cannot check the proofs of others, and must not blame them.
  private Optional<String> findObjection(
      Keystore keystore, RotationJob job, CollectionSet collections) {
    Optional<String> objection =
        new ReadinessVerifier(keyringStore, keys).findObjection(keystore, job, collections);
    if (objection.isPresent() && !canProveKeys(keystore, job)) {
      throw new KekUnavailableException(
          "this process can no longer prove " + job.to() + " or " + job.from());
    }
    return objection;
  }

  private StepResult dryRun(Keystore keystore, RotationJob job, CollectionSet collections) {
    RotationEpoch rotationEpoch = new RotationEpoch(job.id(), keystore.epoch());
    Optional<String> objection = findObjection(keystore, job, collections);
    if (objection.isPresent()) {
      report(RotationProgress.ofNote(job.id(), "not ready: " + objection.get()));
      return new Decided(new RotationEvent.Unstaged(rotationEpoch));
    }
    RewrapPass dryRun =
        rewrapPass == null
            ? RewrapPass.dryRun(collections, job, collectionCatalog.passOptions())
            : rewrapPass;
    rewrapPass = dryRun;
    if (dryRun.isFinished()) {
      report(
          dryRun.progress(
              job.id(), dryRun.failedRecords() == 0 ? RotationProgress.READY : "some would fail"));
      return new Decided(new RotationEvent.Unstaged(rotationEpoch));
    }
    applyRate(dryRun, job);
    dryRun.rewrapBatch(rewrapper(job));
    return new Continue();
  }

  private StepResult raiseFences(
      Keystore keystore, CollectionSet collections, RotationEvent nextEvent) {
    return collections
        .raiseFences(keystore)
        .<StepResult>map(Wait::new)
        .orElseGet(() -> new Decided(nextEvent));
  }

  /// One pass; the sweep handles the records that it leaves. Then the gate is checked again,
  /// because processes may have started or stopped.
  private StepResult rewrap(Keystore keystore, RotationJob job, CollectionSet collections) {
    RewrapPass current =
        rewrapPass == null
            ? RewrapPass.overOldVersion(collections, job, collectionCatalog.passOptions())
            : rewrapPass;
    rewrapPass = current;
    Optional<String> unreachable = collections.describeUnreachable();
    if (unreachable.isPresent()) {
      return new Wait(unreachable.get());
    }
    if (!current.isFinished()) {
      return rewrapBatch(current, keystore, job, collections);
    }
    return findObjection(keystore, job, collections)
        .<StepResult>map(why -> new Wait("not ready: " + why))
        .orElseGet(() ->
            new Decided(
                new RotationEvent.RewrapEnded(new RotationEpoch(job.id(), keystore.epoch()))));
  }

  private StepResult awaitSettled(Keystore keystore, RotationEpoch rotationEpoch) {
    List<KnownPlugin> plugins = keyringStore.readKnownPlugins(keystore);
    if (!plugins.isEmpty()) {
      return awaitPlugins(keystore, rotationEpoch, plugins);
    }
    Duration lease = keystore.timings().lease();
    return WriteLease.isSettled(
            keyringStore.readRoster(keystore.timings()), keystore.epoch(), timeInPhase(), lease)
        ? new Decided(new RotationEvent.Settled(rotationEpoch))
        : new Wait("a process may still seal under the old version");
  }

  /// A plugin has no lease that runs out: it writes under its old key_id until it announces the new
  /// one.
  private StepResult awaitPlugins(
      Keystore keystore, RotationEpoch rotationEpoch, List<KnownPlugin> plugins) {
    Roster roster = keyringStore.readRoster(keystore.timings());
    List<String> behind =
        KnownPlugin.findBehind(plugins, roster, keystore).stream()
            .map(KnownPlugin::instance)
            .toList();
    return behind.isEmpty()
        ? new Decided(new RotationEvent.Settled(rotationEpoch))
        : new Wait(
            "plugins that do not announce %s yet: %s"
                .formatted(keystore.active(), String.join(", ", behind)));
  }

  private StepResult sweep(Keystore keystore, RotationJob job, CollectionSet collections) {
    RotationEpoch rotationEpoch = new RotationEpoch(job.id(), keystore.epoch());
    Optional<StepResult> unfinished = continueSweep(keystore, job, collections);
    if (unfinished.isPresent()) {
      return unfinished.get();
    }
    long failed = lastSweep().failedRecords();
    rewrapPass = null;
    sweeps++;
    if (failed == 0) {
      return new Decided(new RotationEvent.SweepEnded(rotationEpoch));
    }
    return sweeps < MAX_SWEEPS
        ? new Continue()
        : new Decided(new RotationEvent.RecordsBlocked(rotationEpoch, failed));
  }

  /// Failed records may succeed later. Each worker retries them, once per adopt time.
  StepResult retryFailed(Keystore keystore, RotationJob job, CollectionSet collections) {
    if (rewrapPass == null && timeInPhase().compareTo(keystore.timings().adopt()) < 0) {
      return new Wait("");
    }
    Optional<StepResult> unfinished = continueSweep(keystore, job, collections);
    if (unfinished.isPresent()) {
      return unfinished.get();
    }
    long failed = lastSweep().failedRecords();
    rewrapPass = null;
    waitingSince = clock.getAsLong();
    return failed == 0
        ? new Decided(
            new RotationEvent.RecordsRepaired(new RotationEpoch(job.id(), keystore.epoch())))
        : new Wait("");
  }

  /// Empty when the sweep is finished.
  private Optional<StepResult> continueSweep(
      Keystore keystore, RotationJob job, CollectionSet collections) {
    Optional<String> unreachable = collections.describeUnreachable();
    if (unreachable.isPresent()) {
      return Optional.of(new Wait(unreachable.get()));
    }
    RewrapPass current =
        rewrapPass == null
            ? RewrapPass.overAllButTarget(collections, job, collectionCatalog.passOptions())
            : rewrapPass;
    rewrapPass = current;
    if (current.isFinished()) {
      report(current.progress(job.id(), ""));
      return Optional.empty();
    }
    return Optional.of(rewrapBatch(current, keystore, job, collections));
  }

  private RewrapPass lastSweep() {
    if (rewrapPass == null) {
      throw new IllegalStateException("no sweep was started");
    }
    return rewrapPass;
  }

  /// An operator may change the rate at any time.
  private void applyRate(RewrapPass pass, RotationJob job) {
    RotationRate set = keyringStore.readRate(job.id()).orElse(null);
    rate = set;
    pass.limitBatches(set == null ? collectionCatalog.passOptions().maxBatch() : set.batchSize());
  }

  /// The rate that an operator has set for the rotation of the last batch.
  Optional<RotationRate> rate() {
    return Optional.ofNullable(rate);
  }

  /// If a fence refuses the batch, it is raised again: a late fence of the same epoch may have
  /// narrowed what was opened (ADR 6). A fence of a later epoch, or of another incarnation, means
  /// that this driver is outdated.
  private StepResult rewrapBatch(
      RewrapPass current, Keystore keystore, RotationJob job, CollectionSet collections) {
    applyRate(current, job);
    long before = current.writtenRecords();
    Optional<Fence> refusal = current.rewrapBatch(rewrapper(job));
    rewrapped.addAndGet(current.writtenRecords() - before);
    if (current.isFinished() || isReportDue(keystore)) {
      report(current.progress(job.id(), ""));
    }
    if (refusal.isEmpty()) {
      return new Continue();
    }
    return collections.raiseFences(keystore).<StepResult>map(Wait::new).orElseGet(Continue::new);
  }

  private StepResult prove(Keystore keystore, RotationJob job, CollectionSet collections) {
    RotationEpoch rotationEpoch = new RotationEpoch(job.id(), keystore.epoch());
    Optional<String> unreachable = collections.describeUnreachable();
    if (unreachable.isPresent()) {
      return new Wait(unreachable.get());
    }
    for (KekVersion version : keystore.decryptOnlyVersions()) {
      List<String> clusters = collections.unattestedClusters(keystore, version);
      if (!clusters.isEmpty()) {
        return new Wait(
            "cluster %s may need %s: %s"
                .formatted(String.join(", ", clusters), version, CollectionSet.NO_CENSUS));
      }
    }
    for (FencedCollection collection : collections.reachable()) {
      Census census = collection.takeCensus();
      keyringStore.writeLastCount(collection.registration(), census);
      boolean hasOthers = census.carrying().keySet().stream().anyMatch(it -> !it.equals(job.to()));
      if (hasOthers || census.unreadable() > 0) {
        return new Decided(new RotationEvent.OldRecordsFound(rotationEpoch));
      }
    }
    return new Decided(new RotationEvent.Proved(rotationEpoch));
  }

  /// The records that this process has rewrapped, over all passes.
  long rewrappedRecords() {
    return rewrapped.get();
  }

  private RecordRewrapper rewrapper(RotationJob job) {
    return new RecordRewrapper(keys.cipher(), job);
  }

  /// A retry reports only at its end: before that it shows too few failures.
  private boolean isReportDue(Keystore keystore) {
    return keystore.rotation() instanceof Running
        && Duration.ofNanos(clock.getAsLong() - lastReportAt).compareTo(REPORT_INTERVAL) >= 0;
  }

  private Duration timeInPhase() {
    return Duration.ofNanos(clock.getAsLong() - waitingSince);
  }

  /// Reports why the rotation waits. The next report of a pass clears the reason.
  void reportWaiting(RotationJob job, String why) {
    RotationProgress last = lastReport;
    report(
        last != null && last.rotation().equals(job.id())
            ? last.withNote(why)
            : RotationProgress.ofNote(job.id(), why));
  }

  private void report(RotationProgress progress) {
    if (!progress.equals(lastReport)) {
      keyringStore.writeProgress(progress);
      lastReport = progress;
      lastReportAt = clock.getAsLong();
    }
  }
}
