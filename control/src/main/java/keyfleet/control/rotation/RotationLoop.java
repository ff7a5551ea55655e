package keyfleet.control.rotation;

import java.util.Optional;
import java.util.function.LongSupplier;
import keyfleet.control.audit.AuditSummary;
import keyfleet.control.audit.AuditedKeystoreStore;
import keyfleet.control.rewrap.CollectionSet;
import keyfleet.control.rewrap.RewrapPass;
import keyfleet.control.rotation.RotationPhases.Continue;
import keyfleet.control.rotation.RotationPhases.Decided;
import keyfleet.control.rotation.RotationPhases.StepResult;
import keyfleet.control.rotation.RotationPhases.Wait;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyfleetException;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision.Accepted;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Aborted;
import keyfleet.keyring.Rotation.Blocked;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.Rotation.Idle;
import keyfleet.keyring.Rotation.Paused;
import keyfleet.keyring.Rotation.Running;
import keyfleet.keyring.RotationEvent;
import keyfleet.keyring.RotationEvent.RotationEpoch;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.SafeHold;
import keyfleet.member.document.KeystoreStore.StoredKeystore;
import keyfleet.member.keys.LoadedKeys;
import org.jspecify.annotations.Nullable;

/// A worker's loop for the rotation of one keyring: it drives the rotation if it is the driver, and
/// otherwise watches the driver and replaces it when it is silent.
///
/// One thread calls [#tick]. Each tick reads the keystore again, does one bounded step of work, and
/// writes at most one decision, by compare-and-set on what it read.
public final class RotationLoop {
  /// When to tick again.
  public enum NextTick {
    IMMEDIATELY,
    /// After a fraction of a heartbeat, or earlier on a hint that the keystore changed.
    LATER
  }

  /// The most records that are read, rewrapped and written together.
  public static final int MAX_BATCH = RewrapPass.MAX_BATCH;

  /// After so many unexpected exceptions in a row a driver is silent, so that another worker adopts
  /// the rotation.
  private static final int MAX_UNEXPECTED_FAILURES = 3;

  private final String driver;
  private final AuditedKeystoreStore keystores;
  private final RotationPhases phases;
  private final DriverHeartbeat heartbeat;
  private @Nullable RuntimeException lastFailure;
  private @Nullable Keystore lastKeystore;

  /// Ticks in a row that this driver ended with an unexpected exception.
  private int unexpectedFailures;

  /// `driver` names this run of the process: a process that restarts is another driver.
  public RotationLoop(
      String driver,
      KeyringStore keyringStore,
      CollectionCatalog collectionCatalog,
      LoadedKeys keys,
      LongSupplier clock) {
    this.driver = driver;
    this.keystores = keyringStore.keystores();
    this.phases = new RotationPhases(keyringStore, collectionCatalog, keys, clock);
    this.heartbeat = new DriverHeartbeat(keyringStore, clock);
  }

  public NextTick tick() {
    try {
      lastFailure = null;
      Optional<StoredKeystore> storedKeystore = keystores.read();
      lastKeystore = storedKeystore.map(StoredKeystore::keystore).orElse(null);
      storedKeystore.ifPresent(keystores::copyEntry);
      return storedKeystore.isPresent() ? act(storedKeystore.get()) : NextTick.LATER;
    } catch (KeyfleetException e) {
      phases.forgetCollections();
      findDrivenJob().ifPresent(job -> phases.reportFailure(job, describe(e)));
      lastFailure = e; // nothing is lost: the next tick reads the state again
      return NextTick.LATER;
    } catch (RuntimeException | Error e) {
      phases.forgetCollections();
      unexpectedFailures++;
      throw e;
    }
  }

  private Optional<RotationJob> findDrivenJob() {
    return lastKeystore != null
            && lastKeystore.rotation() instanceof Running running
            && running.job().isDrivenBy(driver)
        ? Optional.of(running.job())
        : Optional.empty();
  }

  private String describe(KeyfleetException failure) {
    return "driver " + driver + " cannot continue, and retries: " + failure.getMessage();
  }

  /// Whether this process is the driver, but every tick fails unexpectedly. It then writes no
  /// heartbeat until a tick succeeds.
  public boolean isStalled() {
    return unexpectedFailures >= MAX_UNEXPECTED_FAILURES;
  }

  /// The exception that ended the last tick, if one did.
  public Optional<RuntimeException> lastFailure() {
    return Optional.ofNullable(lastFailure);
  }

  /// The keystore that the last tick read.
  public Optional<Keystore> lastKeystore() {
    return Optional.ofNullable(lastKeystore);
  }

  /// The rate that an operator has set for the rotation that this process drives.
  public Optional<RotationRate> rate() {
    return phases.rate();
  }

  /// The records that this process has rewrapped, over all rotations that it drove.
  public long rewrappedRecords() {
    return phases.rewrappedRecords();
  }

  private NextTick act(StoredKeystore storedKeystore) {
    Rotation rotation = storedKeystore.keystore().rotation();
    if (!(rotation instanceof Running running && running.job().isDrivenBy(driver))) {
      unexpectedFailures = 0; // the failures of a driver count, and another one may drive now
    }
    return switch (rotation) {
      case Running running when running.job().isDrivenBy(driver) -> drive(storedKeystore, running);
      case Running running -> watch(storedKeystore, running);
      case Blocked blocked -> retryBlocked(storedKeystore, blocked);
      case Paused _, Idle _, Completed _, Aborted _ -> {
        heartbeat.forget();
        yield NextTick.LATER;
      }
    };
  }

  private NextTick drive(StoredKeystore storedKeystore, Running running) {
    Keystore keystore = storedKeystore.keystore();
    RotationJob job = running.job();
    if (!phases.enter(keystore, running, job)) {
      return giveUp(storedKeystore, job);
    }
    if (isStalled()) {
      phases.reportWaiting(
          job,
          "driver " + driver + " fails unexpectedly, which is a bug; another worker takes over");
    } else {
      heartbeat.writeIfDue(job, keystore.timings());
    }
    NextTick next = runStep(storedKeystore, running);
    unexpectedFailures = 0;
    phases.clearFailure(job);
    return next;
  }

  /// A driver without a key of the rotation does nothing more, because it would report each record
  /// as failed. It gives the job to the first worker that has the keys. If only the key's provider
  /// does not answer, it just sends no heartbeat.
  private NextTick giveUp(StoredKeystore storedKeystore, RotationJob job) {
    Optional<KekVersion> lost = phases.findLostVersion(job);
    if (lost.isEmpty()) {
      phases.reportWaiting(
          job, "driver %s cannot use %s or %s now".formatted(driver, job.to(), job.from()));
      return NextTick.LATER;
    }
    phases.reportWaiting(
        job,
        "driver %s has lost %s and gave the rotation up; a worker with %s takes it over"
            .formatted(driver, lost.get(), lost.get()));
    var _ =
        commit(
            storedKeystore,
            job.kind() == RotationJob.Kind.DRY_RUN
                ? new RotationEvent.Unstaged(
                    new RotationEpoch(job.id(), storedKeystore.keystore().epoch()))
                : new RotationEvent.Adopted(job.id(), RotationJob.NO_DRIVER));
    return NextTick.LATER;
  }

  private NextTick runStep(StoredKeystore storedKeystore, Running running) {
    Keystore keystore = storedKeystore.keystore();
    RotationJob job = running.job();
    CollectionSet collections = phases.openCollections();
    Optional<SafeHold> hold = collections.findSafeHold(keystore);
    if (hold.isPresent()) {
      if (keystores.isUnchanged(storedKeystore)) {
        phases.reportWaiting(job, "safe hold: " + hold.get().reason());
      }
      return NextTick.LATER;
    }
    return execute(storedKeystore, phases.step(keystore, running, collections));
  }

  /// Takes over from a silent driver, if this process holds the keys. A dry run is ended instead:
  /// its result was in that driver's memory.
  private NextTick watch(StoredKeystore storedKeystore, Running running) {
    Keystore keystore = storedKeystore.keystore();
    RotationJob job = running.job();
    if (!heartbeat.isSilent(job, keystore.timings()) || !phases.enter(keystore, running, job)) {
      return NextTick.LATER;
    }
    boolean shouldEndDryRun =
        job.kind() == RotationJob.Kind.DRY_RUN && !job.isDrivenBy(RotationJob.NO_DRIVER);
    return commit(
        storedKeystore,
        shouldEndDryRun
            ? new RotationEvent.Unstaged(new RotationEpoch(job.id(), keystore.epoch()))
            : new RotationEvent.Adopted(job.id(), driver));
  }

  private NextTick retryBlocked(StoredKeystore storedKeystore, Blocked blocked) {
    Keystore keystore = storedKeystore.keystore();
    if (!phases.enter(keystore, blocked, blocked.job())) {
      return NextTick.LATER;
    }
    CollectionSet collections = phases.openCollections();
    return collections.findSafeHold(keystore).isPresent()
        ? NextTick.LATER
        : execute(storedKeystore, phases.retryFailed(keystore, blocked.job(), collections));
  }

  private NextTick execute(StoredKeystore storedKeystore, StepResult result) {
    return switch (result) {
      case Decided(RotationEvent event) -> commit(storedKeystore, event);
      case Continue() -> NextTick.IMMEDIATELY;
      case Wait _ -> NextTick.LATER;
    };
  }

  private NextTick commit(StoredKeystore storedKeystore, RotationEvent event) {
    return storedKeystore.keystore().decide(event) instanceof Accepted(Keystore next)
            && keystores.replace(storedKeystore, next, AuditSummary.of(event))
        ? NextTick.IMMEDIATELY
        : NextTick.LATER;
  }
}
