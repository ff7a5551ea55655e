package keyfleet.control.rotation;

import java.util.Optional;
import java.util.function.LongSupplier;
import keyfleet.control.audit.AuditSummary;
import keyfleet.control.rewrap.CollectionSet;
import keyfleet.control.rewrap.RewrapPass;
import keyfleet.control.rotation.RotationPhases.Continue;
import keyfleet.control.rotation.RotationPhases.Decided;
import keyfleet.control.rotation.RotationPhases.StepResult;
import keyfleet.control.rotation.RotationPhases.Wait;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision.Accepted;
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
import keyfleet.store.MalformedValueException;
import keyfleet.store.StoreException;
import org.jspecify.annotations.Nullable;

/// What a worker does for the rotation of one keyring: drives it if it is the driver, else watches
/// the driver and takes over when that is silent.
///
/// One thread calls [#tick]. Each tick reads the keystore anew, does one bounded unit of work, and
/// writes at most one decision, by compare-and-set on what it read.
public final class RotationLoop {
  /// When to tick again.
  public enum NextTick {
    IMMEDIATELY,
    /// After a fraction of a heartbeat; or sooner, on a hint that the keystore changed.
    LATER
  }

  /// How many records are read, moved and written together, at most.
  public static final int MAX_BATCH = RewrapPass.MAX_BATCH;

  private final String driver;
  private final KeyringStore keyringStore;
  private final RotationPhases phases;
  private final DriverHeartbeat heartbeat;
  private @Nullable RuntimeException lastFailure;
  private @Nullable Keystore lastKeystore;

  /// `name` is this run's own: a process that starts again is another driver.
  public RotationLoop(
      String driver,
      KeyringStore keyringStore,
      CollectionCatalog collectionCatalog,
      LoadedKeys keys,
      LongSupplier clock) {
    this.driver = driver;
    this.keyringStore = keyringStore;
    this.phases = new RotationPhases(keyringStore, collectionCatalog, keys, clock);
    this.heartbeat = new DriverHeartbeat(keyringStore, clock);
  }

  public NextTick tick() {
    try {
      lastFailure = null;
      Optional<StoredKeystore> storedKeystore = keyringStore.readKeystore();
      lastKeystore = storedKeystore.map(StoredKeystore::keystore).orElse(null);
      storedKeystore.ifPresent(keyringStore::audit);
      return storedKeystore.isPresent() ? act(storedKeystore.get()) : NextTick.LATER;
    } catch (StoreException | MalformedValueException | KekUnavailableException e) {
      phases.forgetCollections();
      lastFailure = e; // nothing is lost: the next tick reads what is true then
      return NextTick.LATER;
    }
  }

  /// Why the last tick came to nothing, if it did.
  public Optional<RuntimeException> lastFailure() {
    return Optional.ofNullable(lastFailure);
  }

  /// The keystore that the last tick found.
  public Optional<Keystore> lastKeystore() {
    return Optional.ofNullable(lastKeystore);
  }

  /// How many records this process has moved, over all rotations that it drove.
  public long rewrapped() {
    return phases.rewrapped();
  }

  private NextTick act(StoredKeystore storedKeystore) {
    return switch (storedKeystore.keystore().rotation()) {
      case Running running when running.rotationJob().isDrivenBy(driver) ->
          drive(storedKeystore, running);
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
    RotationJob rotationJob = running.rotationJob();
    if (!phases.enter(keystore, running, rotationJob)) {
      return NextTick.LATER; // and no sign of life: somebody else shall take it
    }
    heartbeat.writeIfDue(rotationJob, keystore.timings());
    CollectionSet collections = phases.openCollections();
    Optional<SafeHold> hold = collections.findSafeHold(keystore);
    if (hold.isPresent()) {
      if (keyringStore.isUnchanged(storedKeystore)) {
        phases.reportWaiting(rotationJob, "safe hold: " + hold.get().reason());
      }
      return NextTick.LATER;
    }
    return execute(storedKeystore, phases.step(keystore, running, collections));
  }

  /// A worker that does not hold the target takes nothing over.
  private NextTick watch(StoredKeystore storedKeystore, Running running) {
    Keystore keystore = storedKeystore.keystore();
    RotationJob rotationJob = running.rotationJob();
    if (!heartbeat.isSilent(rotationJob, keystore.timings())
        || !phases.enter(keystore, running, rotationJob)) {
      return NextTick.LATER;
    }
    boolean isDropped =
        rotationJob.kind() == RotationJob.Kind.DRY_RUN
            && !rotationJob.isDrivenBy(RotationJob.NO_DRIVER);
    return commit(
        storedKeystore,
        isDropped
            ? new RotationEvent.Unstaged(new RotationEpoch(rotationJob.id(), keystore.epoch()))
            : new RotationEvent.Adopted(rotationJob.id(), driver));
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
      case Decided(RotationEvent rotationEvent) -> commit(storedKeystore, rotationEvent);
      case Continue() -> NextTick.IMMEDIATELY;
      case Wait _ -> NextTick.LATER;
    };
  }

  private NextTick commit(StoredKeystore storedKeystore, RotationEvent rotationEvent) {
    return storedKeystore.keystore().decide(rotationEvent) instanceof Accepted(Keystore next)
            && keyringStore.replace(storedKeystore, next, AuditSummary.of(rotationEvent))
        ? NextTick.IMMEDIATELY
        : NextTick.LATER;
  }
}
