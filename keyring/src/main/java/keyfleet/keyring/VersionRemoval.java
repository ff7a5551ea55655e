package keyfleet.keyring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.KeystoreDecision.Accepted;
import keyfleet.keyring.KeystoreDecision.Refused;

/// Taking a version out of use: disabled, which can be undone; then destroyed, which cannot. Every
/// objection is named, not the first alone.
public final class VersionRemoval {
  /// What was counted in one registered collection.
  public sealed interface CountResult {}

  /// Records that carry the version in any of their fields, not only as their lowest; the fence
  /// says whether more can come.
  public record Counted(long records, boolean fenced) implements CountResult {}

  /// Nobody could count it.
  public record NotCounted(String reason) implements CountResult {}

  /// What was found out before deciding. `sinceFlip` is how long the caller has itself watched the
  /// present epoch; `sinceDisabled` likewise.
  public record Evidence(
      Roster roster,
      Map<String, CountResult> countResults,
      Duration sinceFlip,
      Duration sinceDisabled) {
    public Evidence {
      // In the order of the names: whoever asks again reads the same words.
      countResults = Collections.unmodifiableMap(new TreeMap<>(countResults));
    }
  }

  private VersionRemoval() {}

  public static KeystoreDecision disable(Keystore keystore, KekVersion version, Evidence evidence) {
    List<String> objections = new ArrayList<>();
    stateObjection(keystore, version, VersionState.DECRYPT_ONLY).ifPresent(objections::add);
    objections.addAll(useObjections(keystore, version, evidence));
    return decide(keystore, version, VersionState.DISABLED, objections);
  }

  public static KeystoreDecision undoDisable(Keystore keystore, KekVersion version) {
    List<String> objections = new ArrayList<>();
    stateObjection(keystore, version, VersionState.DISABLED).ifPresent(objections::add);
    if (keystore.isCompromised(version)) {
      objections.add(version + " was revoked: its bytes are in other hands");
    }
    return decide(keystore, version, VersionState.DECRYPT_ONLY, objections);
  }

  /// Re-checks everything, since records may have been restored meanwhile. From here there is no
  /// way back.
  public static KeystoreDecision startDestroying(
      Keystore keystore, KekVersion version, Evidence evidence, Duration horizon) {
    List<String> objections = new ArrayList<>();
    stateObjection(keystore, version, VersionState.DISABLED).ifPresent(objections::add);
    objections.addAll(useObjections(keystore, version, evidence));
    evidence
        .countResults()
        .forEach(
            (name, countResult) -> fenceObjection(name, countResult).ifPresent(objections::add));
    if (evidence.sinceDisabled().compareTo(horizon) < 0) {
      objections.add("backups younger than " + horizon.toDays() + " days may need it");
    }
    return decide(keystore, version, VersionState.DESTROYING, objections);
  }

  /// The bytes are gone.
  public static KeystoreDecision finishDestroying(Keystore keystore, KekVersion version) {
    List<String> objections =
        stateObjection(keystore, version, VersionState.DESTROYING).stream().toList();
    return decide(keystore, version, VersionState.DESTROYED, objections);
  }

  private static KeystoreDecision decide(
      Keystore keystore, KekVersion version, VersionState state, List<String> objections) {
    return objections.isEmpty()
        ? new Accepted(keystore.with(keystore.rotation(), version, state))
        : new Refused(String.join("; ", objections));
  }

  private static Optional<String> stateObjection(
      Keystore keystore, KekVersion version, VersionState needed) {
    Optional<VersionState> state = keystore.stateOf(version);
    if (state.isEmpty()) {
      return Optional.of(version + " is not announced");
    }
    return state.get() == needed
        ? Optional.empty()
        : Optional.of(version + " is " + state.get() + ", not " + needed);
  }

  private static List<String> useObjections(
      Keystore keystore, KekVersion version, Evidence evidence) {
    List<String> objections = new ArrayList<>();
    Rotation.unfinishedJob(keystore.rotation())
        .ifPresent(rotationJob -> objections.add("rotation " + rotationJob.id() + " is under way"));
    for (Heartbeat heartbeat : evidence.roster().heartbeats()) {
      if (version.equals(heartbeat.current())) {
        objections.add(heartbeat.instance() + " holds it as current");
      }
    }
    if (!WriteLease.isSettled(
        evidence.roster(), keystore.epoch(), evidence.sinceFlip(), keystore.timings().lease())) {
      objections.add("a process may still have a lease to seal under it");
    }
    evidence
        .countResults()
        .forEach(
            (name, countResult) -> countObjection(name, countResult).ifPresent(objections::add));
    return objections;
  }

  private static Optional<String> countObjection(String collection, CountResult countResult) {
    return switch (countResult) {
      case Counted(long records, _) when records > 0 ->
          Optional.of(records + " records of " + collection + " carry it");
      case Counted _ -> Optional.empty();
      case NotCounted(String reason) ->
          Optional.of(collection + " could not be counted: " + reason);
    };
  }

  private static Optional<String> fenceObjection(String collection, CountResult countResult) {
    return countResult instanceof Counted(_, boolean fenced) && !fenced
        ? Optional.of(collection + " has no fence: a sleeping writer may still bring it back")
        : Optional.empty();
  }
}
