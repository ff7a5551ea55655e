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
    AT_ONCE,
    /// After a fraction of a heartbeat; or sooner, on a hint that the keystore changed.
    LATER
  }

  /// How many records are read, moved and written together, at most.
  public static final int BATCH = RewrapPass.BATCH;

  private final String name;
  private final KeyringStore ring;
  private final RotationPhases drive;
  private final DriverHeartbeat signs;
  private @Nullable RuntimeException trouble;
  private @Nullable Keystore seen;

  /// `name` is this run's own: a process that starts again is another driver.
  public RotationLoop(
      String name,
      KeyringStore ring,
      CollectionCatalog shelves,
      LoadedKeys keys,
      LongSupplier clock) {
    this.name = name;
    this.ring = ring;
    this.drive = new RotationPhases(ring, shelves, keys, clock);
    this.signs = new DriverHeartbeat(ring, clock);
  }

  public NextTick tick() {
    try {
      trouble = null;
      Optional<StoredKeystore> storedKeystore = ring.keystore();
      seen = storedKeystore.map(StoredKeystore::keystore).orElse(null);
      storedKeystore.ifPresent(ring::audit);
      return storedKeystore.isPresent() ? turn(storedKeystore.get()) : NextTick.LATER;
    } catch (StoreException | MalformedValueException | KekUnavailableException e) {
      drive.lookAgain();
      trouble = e; // nothing is lost: the next tick reads what is true then
      return NextTick.LATER;
    }
  }

  /// Why the last tick came to nothing, if it did.
  public Optional<RuntimeException> trouble() {
    return Optional.ofNullable(trouble);
  }

  /// The keystore that the last tick found.
  public Optional<Keystore> seen() {
    return Optional.ofNullable(seen);
  }

  /// How many records this process has moved, over all rotations that it drove.
  public long moved() {
    return drive.moved();
  }

  private NextTick turn(StoredKeystore storedKeystore) {
    return switch (storedKeystore.keystore().rotation()) {
      case Running running when running.rotationJob().isDrivenBy(name) ->
          driven(storedKeystore, running);
      case Running running -> watched(storedKeystore, running);
      case Blocked blocked -> retried(storedKeystore, blocked);
      case Paused _, Idle _, Completed _, Aborted _ -> {
        signs.forget();
        yield NextTick.LATER;
      }
    };
  }

  private NextTick driven(StoredKeystore storedKeystore, Running running) {
    Keystore keystore = storedKeystore.keystore();
    RotationJob rotationJob = running.rotationJob();
    if (!drive.enter(keystore, running, rotationJob)) {
      return NextTick.LATER; // and no sign of life: somebody else shall take it
    }
    signs.give(rotationJob, keystore.timings());
    CollectionSet stock = drive.stock();
    Optional<SafeHold> hold = stock.hold(keystore);
    if (hold.isPresent()) {
      if (ring.isStill(storedKeystore)) {
        drive.note(rotationJob, "safe hold: " + hold.get().reason());
      }
      return NextTick.LATER;
    }
    return carriedOut(storedKeystore, drive.unit(keystore, running, stock));
  }

  /// A worker that does not hold the target takes nothing over.
  private NextTick watched(StoredKeystore storedKeystore, Running running) {
    Keystore keystore = storedKeystore.keystore();
    RotationJob rotationJob = running.rotationJob();
    if (!signs.isSilent(rotationJob, keystore.timings())
        || !drive.enter(keystore, running, rotationJob)) {
      return NextTick.LATER;
    }
    boolean dropped =
        rotationJob.kind() == RotationJob.Kind.DRY_RUN
            && !rotationJob.isDrivenBy(RotationJob.NO_DRIVER);
    return decided(
        storedKeystore,
        dropped
            ? new RotationEvent.Unstaged(new RotationEpoch(rotationJob.id(), keystore.epoch()))
            : new RotationEvent.Adopted(rotationJob.id(), name));
  }

  private NextTick retried(StoredKeystore storedKeystore, Blocked blocked) {
    Keystore keystore = storedKeystore.keystore();
    if (!drive.enter(keystore, blocked, blocked.job())) {
      return NextTick.LATER;
    }
    CollectionSet stock = drive.stock();
    return stock.hold(keystore).isPresent()
        ? NextTick.LATER
        : carriedOut(storedKeystore, drive.retried(keystore, blocked.job(), stock));
  }

  private NextTick carriedOut(StoredKeystore storedKeystore, StepResult unit) {
    return switch (unit) {
      case Decided(RotationEvent rotationEvent) -> decided(storedKeystore, rotationEvent);
      case Continue() -> NextTick.AT_ONCE;
      case Wait _ -> NextTick.LATER;
    };
  }

  private NextTick decided(StoredKeystore storedKeystore, RotationEvent rotationEvent) {
    return storedKeystore.keystore().decide(rotationEvent) instanceof Accepted(Keystore next)
            && ring.replace(storedKeystore, next, AuditSummary.of(rotationEvent))
        ? NextTick.AT_ONCE
        : NextTick.LATER;
  }
}
