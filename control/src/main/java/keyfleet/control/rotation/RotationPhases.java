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
  private static final int SWEEPS = 3;

  /// People look at it; each report is a write that waits for the disk.
  private static final Duration REPORTS = Duration.ofMillis(250);

  private final KeyringStore ring;
  private final CollectionCatalog shelves;
  private final LoadedKeys keys;
  private final LongSupplier clock;
  private @Nullable PhaseRun leg;
  private long since;
  private @Nullable CollectionSet stock;
  private @Nullable RewrapPass pass;
  private int sweeps;
  private long moved;
  private @Nullable RotationProgress reported;
  private long reportedAt;

  RotationPhases(
      KeyringStore ring, CollectionCatalog shelves, LoadedKeys keys, LongSupplier clock) {
    this.ring = ring;
    this.shelves = shelves;
    this.keys = keys;
    this.clock = clock;
  }

  /// Begins the phase, unless it was begun already. False if this process does not hold what the
  /// phase needs; it may later.
  boolean enter(Keystore keystore, Rotation rotation, RotationJob rotationJob) {
    PhaseRun here = new PhaseRun(rotationJob.id(), keystore.epoch(), rotation.getClass());
    if (here.equals(leg)) {
      return true;
    }
    if (!keys.canProve(keystore, rotationJob.to())
        || !keys.canProve(keystore, rotationJob.from())) {
      return false;
    }
    leg = here;
    since = clock.getAsLong();
    stock = null;
    pass = null;
    sweeps = 0;
    return true;
  }

  /// The collections of this moment. To look one up costs a store as much as a few dozen records,
  /// so that is done once in a phase, as its pass does; and again after a tick that came to
  /// nothing.
  CollectionSet stock() {
    CollectionSet found = stock == null ? shelves.stock() : shelves.stock(stock);
    stock = found;
    return found;
  }

  void lookAgain() {
    stock = null;
  }

  StepResult unit(Keystore keystore, Running running, CollectionSet stock) {
    RotationJob rotationJob = running.rotationJob();
    RotationEpoch rotationEpoch = new RotationEpoch(rotationJob.id(), keystore.epoch());
    StepResult unit =
        switch (running) {
          case Rotation.Staged _ when rotationJob.kind() == RotationJob.Kind.DRY_RUN ->
              rehearsed(keystore, rotationJob, stock);
          case Rotation.Staged _ -> gated(keystore, rotationJob, stock);
          case Rotation.OpeningFences _ ->
              fenced(keystore, stock, new RotationEvent.FencesOpened(rotationEpoch));
          case Rotation.Rewrapping _ -> rewrapped(keystore, rotationJob, stock);
          case Rotation.Settling _ -> settled(keystore, rotationEpoch);
          case Rotation.Fencing _ ->
              fenced(keystore, stock, new RotationEvent.Fenced(rotationEpoch));
          case Rotation.Sweeping _ -> swept(keystore, rotationJob, stock);
          case Rotation.Proving _ -> proved(keystore, rotationJob, stock);
        };
    if (unit instanceof Wait(String why)) {
      note(rotationJob, why);
    }
    return unit;
  }

  private StepResult gated(Keystore keystore, RotationJob rotationJob, CollectionSet stock) {
    RotationEpoch rotationEpoch = new RotationEpoch(rotationJob.id(), keystore.epoch());
    Optional<String> objection = gate().objection(keystore, rotationJob, stock);
    if (objection.isEmpty()) {
      return new Decided(new RotationEvent.GatePassed(rotationEpoch));
    }
    report(RotationProgress.none(rotationJob.id(), "not ready: " + objection.get()));
    return new Decided(new RotationEvent.Unstaged(rotationEpoch));
  }

  private StepResult rehearsed(Keystore keystore, RotationJob rotationJob, CollectionSet stock) {
    RotationEpoch rotationEpoch = new RotationEpoch(rotationJob.id(), keystore.epoch());
    Optional<String> objection = gate().objection(keystore, rotationJob, stock);
    if (objection.isPresent()) {
      report(RotationProgress.none(rotationJob.id(), "not ready: " + objection.get()));
      return new Decided(new RotationEvent.Unstaged(rotationEpoch));
    }
    RewrapPass trial = pass == null ? shelves.rehearsing(stock, rotationJob) : pass;
    pass = trial;
    if (trial.isThrough()) {
      report(trial.progress(rotationJob.id(), trial.failed() == 0 ? "ready" : "some would fail"));
      return new Decided(new RotationEvent.Unstaged(rotationEpoch));
    }
    trial.step(mover(rotationJob));
    return new Continue();
  }

  private StepResult fenced(Keystore keystore, CollectionSet stock, RotationEvent done) {
    return stock.fence(keystore).<StepResult>map(Wait::new).orElseGet(() -> new Decided(done));
  }

  /// One pass; what it leaves is the sweep's. The gate is asked once more, as processes have come
  /// and gone.
  private StepResult rewrapped(Keystore keystore, RotationJob rotationJob, CollectionSet stock) {
    RewrapPass now = pass == null ? shelves.leaving(stock, rotationJob) : pass;
    pass = now;
    if (!now.isThrough()) {
      return stepped(now, keystore, rotationJob, stock);
    }
    return gate()
        .objection(keystore, rotationJob, stock)
        .<StepResult>map(why -> new Wait("not ready: " + why))
        .orElseGet(() ->
            new Decided(
                new RotationEvent.RewrapEnded(
                    new RotationEpoch(rotationJob.id(), keystore.epoch()))));
  }

  private StepResult settled(Keystore keystore, RotationEpoch rotationEpoch) {
    Duration lease = keystore.timings().lease();
    return WriteLease.isSettled(ring.roster(keystore.timings()), keystore.epoch(), waited(), lease)
        ? new Decided(new RotationEvent.Settled(rotationEpoch))
        : new Wait("some process may still seal under the version before");
  }

  private StepResult swept(Keystore keystore, RotationJob rotationJob, CollectionSet stock) {
    RotationEpoch rotationEpoch = new RotationEpoch(rotationJob.id(), keystore.epoch());
    Optional<StepResult> going = sweeping(keystore, rotationJob, stock);
    if (going.isPresent()) {
      return going.get();
    }
    long failed = lastSweep().failed();
    pass = null;
    sweeps++;
    if (failed == 0) {
      return new Decided(new RotationEvent.SweepEnded(rotationEpoch));
    }
    return sweeps < SWEEPS
        ? new Continue()
        : new Decided(new RotationEvent.RecordsBlocked(rotationEpoch, failed));
  }

  /// Records that nobody could move may be movable by now. Any worker may try, and begins after the
  /// adopt time, again and again.
  StepResult retried(Keystore keystore, RotationJob rotationJob, CollectionSet stock) {
    if (pass == null && waited().compareTo(keystore.timings().adopt()) < 0) {
      return new Wait("");
    }
    Optional<StepResult> going = sweeping(keystore, rotationJob, stock);
    if (going.isPresent()) {
      return going.get();
    }
    long failed = lastSweep().failed();
    pass = null;
    since = clock.getAsLong();
    return failed == 0
        ? new Decided(
            new RotationEvent.RecordsRepaired(
                new RotationEpoch(rotationJob.id(), keystore.epoch())))
        : new Wait("");
  }

  /// Nothing once the sweep is through.
  private Optional<StepResult> sweeping(
      Keystore keystore, RotationJob rotationJob, CollectionSet stock) {
    Optional<String> gap = stock.gap();
    if (gap.isPresent()) {
      return Optional.of(new Wait(gap.get()));
    }
    RewrapPass now = pass == null ? shelves.sweeping(stock, rotationJob) : pass;
    pass = now;
    if (now.isThrough()) {
      report(now.progress(rotationJob.id(), ""));
      return Optional.empty();
    }
    return Optional.of(stepped(now, keystore, rotationJob, stock));
  }

  private RewrapPass lastSweep() {
    if (pass == null) {
      throw new IllegalStateException("no sweep was begun");
    }
    return pass;
  }

  /// A late fence of the same epoch may have narrowed what was opened (ADR 6): then it is opened
  /// again. A fence of a later term means that this driver is out of date.
  private StepResult stepped(
      RewrapPass now, Keystore keystore, RotationJob rotationJob, CollectionSet stock) {
    long before = now.moved();
    Optional<Fence> refusal = now.step(mover(rotationJob));
    moved += now.moved() - before;
    if (now.isThrough() || isReportDue(keystore)) {
      report(now.progress(rotationJob.id(), ""));
    }
    if (refusal.isEmpty()) {
      return new Continue();
    }
    return stock.fence(keystore).<StepResult>map(Wait::new).orElseGet(Continue::new);
  }

  private StepResult proved(Keystore keystore, RotationJob rotationJob, CollectionSet stock) {
    RotationEpoch rotationEpoch = new RotationEpoch(rotationJob.id(), keystore.epoch());
    Optional<String> gap = stock.gap();
    if (gap.isPresent()) {
      return new Wait(gap.get());
    }
    List<String> uncounted = stock.uncounted(keystore);
    if (!uncounted.isEmpty()) {
      return new Wait(String.join(", ", uncounted) + ": " + CollectionSet.NO_CENSUS);
    }
    for (FencedCollection shelf : stock.shelves()) {
      Census census = shelf.census();
      boolean others =
          census.carrying().keySet().stream().anyMatch(it -> !it.equals(rotationJob.to()));
      if (others || census.unreadable() > 0) {
        return new Decided(new RotationEvent.OldRecordsFound(rotationEpoch));
      }
    }
    return new Decided(new RotationEvent.Proved(rotationEpoch));
  }

  /// Over all passes of this process.
  long moved() {
    return moved;
  }

  private ReadinessVerifier gate() {
    return new ReadinessVerifier(ring, keys);
  }

  private RecordRewrapper mover(RotationJob rotationJob) {
    return new RecordRewrapper(keys.cipher(), rotationJob);
  }

  /// Of a retry only the end is reported: half of one shows fewer failures than there are.
  private boolean isReportDue(Keystore keystore) {
    return keystore.rotation() instanceof Running
        && Duration.ofNanos(clock.getAsLong() - reportedAt).compareTo(REPORTS) >= 0;
  }

  private Duration waited() {
    return Duration.ofNanos(clock.getAsLong() - since);
  }

  /// Says why the rotation waits. The next report of a pass says that it goes on.
  void note(RotationJob rotationJob, String why) {
    RotationProgress last = reported;
    report(
        last != null && last.rotation().equals(rotationJob.id())
            ? last.noting(why)
            : RotationProgress.none(rotationJob.id(), why));
  }

  private void report(RotationProgress progress) {
    if (!progress.equals(reported)) {
      ring.report(progress);
      reported = progress;
      reportedAt = clock.getAsLong();
    }
  }
}
