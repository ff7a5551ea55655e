package keyfleet.sim.rotation;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionRemoval.FenceWaiver;
import keyfleet.keyring.VersionState;
import keyfleet.sim.fleet.RemovalOrders;

/// The goal of an operator: a version from the target on is active and all others are destroyed. It
/// reads the keystore and orders the next step.
///
/// @param restore the restore of the store that may still come
record OperatorPlan(
    int targetVersion, Habit habit, StoreRestore restore, Consumer<KekVersion> shredder) {
  enum Habit {
    /// Removes the old version after each rotation.
    REMOVES_FIRST,
    /// Rotates as often as it can, and removes old versions at the end.
    ROTATES_FIRST
  }

  private static final Duration DESTROY_HORIZON = Duration.ofSeconds(10);

  /// Returns the answer to the order, or a text if there was nothing to order.
  Object orderNextStep(RotationOperator operator) {
    Optional<Keystore> present = operator.keystore();
    if (present.isEmpty()) {
      return announce(operator, new KekVersion(1));
    }
    Keystore keystore = present.get();
    Optional<Object> resolved = restore.resolveHold(operator, keystore);
    if (resolved.isPresent()) {
      return resolved.get();
    }
    if (keystore.rotation() instanceof Rotation.Paused) {
      return operator.orders().resume();
    }
    if (Rotation.unfinishedJob(keystore.rotation()).isPresent()) {
      return "wait";
    }
    if (habit == Habit.ROTATES_FIRST && keystore.active().number() < targetVersion) {
      return advance(operator, keystore);
    }
    if (keystore.decryptOnlyVersions().stream().anyMatch(restore::isLeftOver)) {
      return rotateOn(operator, keystore);
    }
    for (Map.Entry<KekVersion, VersionEntry> it : keystore.versions().entrySet()) {
      Optional<Object> removed = remove(operator, it.getKey(), it.getValue().state());
      if (removed.isPresent()) {
        return removed.get();
      }
    }
    return advance(operator, keystore);
  }

  private Object advance(RotationOperator operator, Keystore keystore) {
    return keystore.active().number() >= targetVersion ? "done" : rotateOn(operator, keystore);
  }

  private Object rotateOn(RotationOperator operator, Keystore keystore) {
    Optional<KekVersion> announced =
        keystore.versions().tailMap(keystore.active()).entrySet().stream()
            .filter(it -> it.getValue().state() == VersionState.ANNOUNCED)
            .map(Map.Entry::getKey)
            .findFirst();
    if (announced.isEmpty()) {
      return announce(operator, new KekVersion(keystore.versions().lastKey().number() + 1));
    }
    KekVersion next = announced.get();
    return keystore.isCompromised(keystore.active())
        ? operator.orders().revoke(keystore.active(), next)
        : operator.orders().rotate(keystore.active(), next);
  }

  private static Object announce(RotationOperator operator, KekVersion version) {
    return operator.orders().announce(version, Keystore.Use.RECORDS, Timings.DEFAULT);
  }

  private Optional<Object> remove(
      RotationOperator operator, KekVersion version, VersionState state) {
    if (state == VersionState.DISABLED && restore.isPending()) {
      return Optional.empty(); // it may need the key
    }
    return new RemovalOrders(operator.removals(), DESTROY_HORIZON, FenceWaiver.NONE, shredder)
        .giveNext(version, state);
  }

  Optional<Supplier<String>> unfinishedWork(Keystore keystore) {
    if (Rotation.unfinishedJob(keystore.rotation()).isPresent()) {
      return Optional.of(() -> "the rotation is " + keystore.rotation());
    }
    for (var it : keystore.versions().entrySet()) {
      boolean isInFinalState =
          switch (it.getValue().state()) {
            case ACTIVE, DESTROYED, WITHDRAWN -> true;
            case ANNOUNCED -> it.getKey().compareTo(keystore.active()) < 0; // never rotated to
            case STAGED, DECRYPT_ONLY, DISABLED, DESTROYING -> false;
          };
      if (!isInFinalState) {
        return Optional.of(() -> it.getKey() + " is " + it.getValue().state());
      }
    }
    return keystore.active().number() >= targetVersion
        ? Optional.empty()
        : Optional.of(() -> keystore.active() + " is active");
  }
}
