package keyfleet.sim.rotation;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionState;

/// What an operator wants in the end: the last version active, and every other destroyed. It looks
/// at what is, and orders the next step.
record OperatorPlan(int last, Habit habit, Consumer<KekVersion> shredder) {
  enum Habit {
    /// Cleans up after each rotation.
    TIDY,
    /// Rotates as often as it can, and cleans up in the end.
    BUSY
  }

  private static final Duration HORIZON = Duration.ofSeconds(10);

  /// What was ordered, or that nothing was.
  Object pursue(RotationOperator desk) {
    Optional<Keystore> present = desk.keystore();
    if (present.isEmpty()) {
      return announce(desk, new KekVersion(1));
    }
    Keystore keystore = present.get();
    if (keystore.rotation() instanceof Rotation.Paused) {
      return desk.orders().resume();
    }
    if (Rotation.unfinishedJob(keystore.rotation()).isPresent()) {
      return "wait";
    }
    if (habit == Habit.BUSY && keystore.active().number() < last) {
      return advance(desk, keystore);
    }
    for (Map.Entry<KekVersion, VersionEntry> it : keystore.versions().entrySet()) {
      Optional<Object> removed = remove(desk, it.getKey(), it.getValue().state());
      if (removed.isPresent()) {
        return removed.get();
      }
    }
    return advance(desk, keystore);
  }

  private Object advance(RotationOperator desk, Keystore keystore) {
    if (keystore.active().number() >= last) {
      return "done";
    }
    KekVersion next = new KekVersion(keystore.active().number() + 1);
    if (keystore.stateOf(next).isEmpty()) {
      return announce(desk, next);
    }
    return keystore.isCompromised(keystore.active())
        ? desk.orders().revoke(keystore.active(), next)
        : desk.orders().rotate(keystore.active(), next);
  }

  private static Object announce(RotationOperator desk, KekVersion version) {
    return desk.orders().announce(version, Keystore.Use.RECORDS, Timings.DEFAULT);
  }

  private Optional<Object> remove(RotationOperator desk, KekVersion version, VersionState state) {
    return switch (state) {
      case DECRYPT_ONLY -> Optional.of(desk.removals().disable(version));
      case DISABLED -> {
        Object answer = desk.removals().destroy(version, HORIZON);
        if (answer instanceof Done) {
          shredder.accept(version);
        }
        yield Optional.of(answer);
      }
      case DESTROYING -> {
        shredder.accept(version);
        yield Optional.of(desk.removals().markDestroyed(version));
      }
      case ANNOUNCED, STAGED, ACTIVE, DESTROYED -> Optional.empty();
    };
  }

  /// What is left to do, if anything.
  Optional<Supplier<String>> unfinished(Keystore keystore) {
    if (Rotation.unfinishedJob(keystore.rotation()).isPresent()) {
      return Optional.of(() -> "the rotation is " + keystore.rotation());
    }
    for (var it : keystore.versions().entrySet()) {
      boolean should =
          it.getKey().number() == last
              ? it.getValue().state() == VersionState.ACTIVE
              : it.getValue().state() == VersionState.DESTROYED;
      if (!should) {
        return Optional.of(() -> it.getKey() + " is " + it.getValue().state());
      }
    }
    return keystore.active().number() == last
        ? Optional.empty()
        : Optional.of(() -> keystore.active() + " is active");
  }
}
