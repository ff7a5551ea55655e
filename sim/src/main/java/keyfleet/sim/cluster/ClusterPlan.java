package keyfleet.sim.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KnownPlugin;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionRemoval.FenceWaiver;
import keyfleet.keyring.VersionState;
import keyfleet.sim.fleet.RemovalOrders;

/// The goal of an operator of a kms keyring: a version from `targetVersion` on is active, and all
/// that were active before are destroyed. It reads the keystore and orders the next step.
///
/// @param mistakes versions that are announced by mistake, and withdrawn
record ClusterPlan(
    int targetVersion,
    Habit habit,
    Set<KekVersion> mistakes,
    Field field,
    Consumer<KekVersion> shredder) {
  enum Habit {
    /// Migrates and attests after each rotation.
    ATTESTS_FIRST,
    /// Rotates on while proofs are outstanding.
    ROTATES_FIRST
  }

  /// What an operator does and sees outside the keyring's store.
  interface Field {
    /// Rewrites the objects of every cluster through API servers.
    void migrate(Keystore keystore);

    /// Attests for each cluster what is true. Returns the answers.
    List<Object> attestTruthfully(ClusterOperator operator, Keystore keystore);

    /// Whether the process of a known plugin will not return.
    boolean isGone(KnownPlugin plugin);

    Object forget(ClusterOperator operator, Keystore keystore, KnownPlugin plugin);

    /// Why the plugins are not done, if they are not.
    Optional<Supplier<String>> unfinishedPlugins(Keystore keystore);
  }

  /// Returns the answer to the order, or a text if there was nothing to order.
  Object orderNextStep(ClusterOperator operator) {
    Optional<Keystore> present = operator.keystore();
    if (present.isEmpty()) {
      return announce(operator, new KekVersion(1));
    }
    Keystore keystore = present.get();
    if (keystore.rotation() instanceof Rotation.Paused) {
      return operator.orders().resume();
    }
    for (KnownPlugin plugin : operator.knownPlugins(keystore)) {
      if (field.isGone(plugin)) {
        return field.forget(operator, keystore, plugin);
      }
    }
    boolean isProving = keystore.rotation() instanceof Rotation.Proving;
    if (!isProving && Rotation.unfinishedJob(keystore.rotation()).isPresent()) {
      return "wait";
    }
    if (habit == Habit.ROTATES_FIRST && keystore.active().number() < targetVersion) {
      return advance(operator, keystore);
    }
    Optional<Object> closed = closeOldVersions(operator, keystore);
    return closed.isPresent() ? closed.get() : isProving ? "wait" : advance(operator, keystore);
  }

  private Optional<Object> closeOldVersions(ClusterOperator operator, Keystore keystore) {
    if (!oldVersions(keystore).isEmpty()) {
      field.migrate(keystore);
      List<Object> answers = field.attestTruthfully(operator, keystore);
      if (!answers.isEmpty()) {
        return Optional.of(answers);
      }
    }
    if (keystore.rotation() instanceof Rotation.Proving) {
      return Optional.empty();
    }
    RemovalOrders removalOrders =
        new RemovalOrders(operator.removals(), Duration.ZERO, FenceWaiver.GIVEN, shredder);
    return keystore.versions().entrySet().stream()
        .flatMap(it -> removalOrders.giveNext(it.getKey(), it.getValue().state()).stream())
        .findFirst();
  }

  /// The versions that were active and are not destroyed yet. A cluster may be registered after a
  /// version was disabled, and then its word is needed too.
  static List<KekVersion> oldVersions(Keystore keystore) {
    return keystore.versions().entrySet().stream()
        .filter(it ->
            it.getValue().state() == VersionState.DECRYPT_ONLY
                || it.getValue().state() == VersionState.DISABLED)
        .map(Map.Entry::getKey)
        .toList();
  }

  private Object advance(ClusterOperator operator, Keystore keystore) {
    if (keystore.active().number() >= targetVersion) {
      return "done";
    }
    Optional<KekVersion> announced =
        keystore.versions().entrySet().stream()
            .filter(it -> it.getValue().state() == VersionState.ANNOUNCED)
            .map(Map.Entry::getKey)
            .findFirst();
    if (announced.isEmpty()) {
      return announce(operator, new KekVersion(keystore.versions().lastKey().number() + 1));
    }
    if (mistakes.contains(announced.get())) {
      Object answer = operator.orders().withdraw(announced.get());
      if (answer instanceof Done) {
        return answer;
      }
    }
    return operator.orders().rotate(keystore.active(), announced.get());
  }

  private static Object announce(ClusterOperator operator, KekVersion version) {
    return operator.orders().announce(version, Keystore.Use.KMS, Timings.DEFAULT);
  }

  Optional<Supplier<String>> unfinishedWork(Keystore keystore) {
    if (Rotation.unfinishedJob(keystore.rotation()).isPresent()) {
      return Optional.of(() -> "the rotation is " + keystore.rotation());
    }
    for (var it : keystore.versions().entrySet()) {
      VersionState state = it.getValue().state();
      boolean isOpen =
          state == VersionState.DECRYPT_ONLY
              || state == VersionState.DISABLED
              || state == VersionState.DESTROYING
              || state == VersionState.STAGED;
      if (isOpen) {
        return Optional.of(() -> it.getKey() + " is " + state);
      }
    }
    return keystore.active().number() >= targetVersion
        ? field.unfinishedPlugins(keystore)
        : Optional.of(() -> keystore.active() + " is active");
  }
}
