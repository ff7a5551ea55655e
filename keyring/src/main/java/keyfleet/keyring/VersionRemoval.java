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

/// Takes a version out of use: first disables it, which can be undone, then destroys it, which
/// cannot. A refusal lists every objection, not only the first.
public final class VersionRemoval {
  /// The count in one registered collection.
  public sealed interface CountResult {}

  /// The number of records that carry the version in any field, not only as their lowest version.
  /// `fenced` says whether more records can get it.
  public record Counted(long records, boolean isFenced) implements CountResult {}

  /// The collection could not be read.
  public record NotCounted(String reason) implements CountResult {}

  /// The facts for the decision. `sinceFlip` is how long the caller itself has seen the present
  /// epoch; `sinceDisabled` likewise for the disabled state.
  public record Evidence(
      Roster roster,
      Map<String, CountResult> countResults,
      Duration sinceFlip,
      Duration sinceDisabled) {
    public Evidence {
      // Sorted by name, so that the same refusal always has the same text.
      countResults = Collections.unmodifiableMap(new TreeMap<>(countResults));
    }
  }

  /// Whether an operator answers for collections that no fence guards: that no paused writer will
  /// write them under the version.
  public enum FenceWaiver {
    NONE,
    GIVEN
  }

  private VersionRemoval() {}

  public static KeystoreDecision disable(Keystore keystore, KekVersion version, Evidence evidence) {
    List<String> objections = new ArrayList<>();
    stateObjection(keystore, version, VersionState.DECRYPT_ONLY).ifPresent(objections::add);
    if (keystore.versions().containsKey(version)) {
      objections.addAll(useObjections(keystore, version, evidence));
    }
    return decide(keystore, version, VersionState.DISABLED, objections);
  }

  public static KeystoreDecision undoDisable(Keystore keystore, KekVersion version) {
    List<String> objections = new ArrayList<>();
    stateObjection(keystore, version, VersionState.DISABLED).ifPresent(objections::add);
    if (keystore.isCompromised(version)) {
      objections.add(version + " was revoked: its key is compromised");
    }
    return decide(keystore, version, VersionState.DECRYPT_ONLY, objections);
  }

  /// Checks everything again, because records may have been restored since. This cannot be undone.
  public static KeystoreDecision startDestroying(
      Keystore keystore,
      KekVersion version,
      Evidence evidence,
      Duration horizon,
      FenceWaiver waiver) {
    List<String> objections = new ArrayList<>();
    stateObjection(keystore, version, VersionState.DISABLED).ifPresent(objections::add);
    if (!keystore.versions().containsKey(version)) {
      return new Refused(objections);
    }
    objections.addAll(useObjections(keystore, version, evidence));
    if (waiver == FenceWaiver.NONE) {
      evidence
          .countResults()
          .forEach((name, result) -> fenceObjection(name, result).ifPresent(objections::add));
    }
    if (evidence.sinceDisabled().compareTo(horizon) < 0) {
      objections.add("backups younger than " + horizon.toDays() + " days may need it");
    }
    return decide(keystore, version, VersionState.DESTROYING, objections);
  }

  /// Records that the key bytes are deleted.
  public static KeystoreDecision finishDestroying(Keystore keystore, KekVersion version) {
    List<String> objections =
        stateObjection(keystore, version, VersionState.DESTROYING).stream().toList();
    return decide(keystore, version, VersionState.DESTROYED, objections);
  }

  private static KeystoreDecision decide(
      Keystore keystore, KekVersion version, VersionState state, List<String> objections) {
    return objections.isEmpty()
        ? new Accepted(keystore.with(keystore.rotation(), version, state))
        : new Refused(objections);
  }

  private static Optional<String> stateObjection(
      Keystore keystore, KekVersion version, VersionState needed) {
    Optional<VersionState> state = keystore.stateOf(version);
    if (state.isEmpty()) {
      return Optional.of(version + " is not announced");
    }
    return state.get() == needed
        ? Optional.empty()
        : Optional.of(version + " is " + state.get().text() + ", not " + needed.text());
  }

  private static List<String> useObjections(
      Keystore keystore, KekVersion version, Evidence evidence) {
    List<String> objections = new ArrayList<>();
    Rotation.unfinishedJob(keystore.rotation())
        .ifPresent(job -> objections.add("rotation " + job.id() + " is under way"));
    for (Heartbeat heartbeat : evidence.roster().heartbeats()) {
      if (version.equals(heartbeat.current())) {
        objections.add(heartbeat.instance() + " holds it as current");
      }
    }
    if (!WriteLease.isSettled(
        evidence.roster(), keystore.epoch(), evidence.sinceFlip(), keystore.timings().lease())) {
      objections.add("a process may still hold a write lease for it");
    }
    evidence
        .countResults()
        .forEach((name, result) -> countObjection(name, result).ifPresent(objections::add));
    return objections;
  }

  private static Optional<String> countObjection(String collection, CountResult result) {
    return switch (result) {
      case Counted(long records, _) when records > 0 ->
          Optional.of(records + " records of " + collection + " carry it");
      case Counted _ -> Optional.empty();
      case NotCounted(String reason) ->
          Optional.of(collection + " could not be counted: " + reason);
    };
  }

  private static Optional<String> fenceObjection(String collection, CountResult result) {
    return result instanceof Counted(_, boolean isFenced) && !isFenced
        ? Optional.of(collection + " has no fence: a paused writer may still write it")
        : Optional.empty();
  }
}
