package keyfleet.sim.explore;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.Proof;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.ReadinessGate;
import keyfleet.keyring.Roster;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Proving;
import keyfleet.keyring.Rotation.Rewrapping;
import keyfleet.keyring.Rotation.Settling;
import keyfleet.keyring.Rotation.Staged;
import keyfleet.keyring.Rotation.Sweeping;
import keyfleet.keyring.RotationEvent;
import keyfleet.keyring.RotationEvent.RotationEpoch;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.VersionRemoval;

/// What a driver or an operator can find out in a state: whether the fleet is ready, whether a
/// phase is done, which version can be removed.
final class RotationEvidence {
  private static final int PROTOCOL = 1;
  private static final String PROVIDER = "env";

  /// Any proof will do: the explorer does not model wrong bytes.
  private static final Proof PROOF = Proof.parse("00".repeat(32)).orElseThrow();

  private final RotationModelState state;
  private final Keystore keystore;

  RotationEvidence(RotationModelState state) {
    this.state = state;
    this.keystore = state.keystore();
  }

  /// The event that a driver can report now; it may report it much later.
  Optional<RotationEvent.DriverEvent> reportableEvent() {
    return Rotation.unfinishedJob(keystore.rotation())
        .map(rotationJob -> new RotationEpoch(rotationJob.id(), keystore.epoch()))
        .flatMap(this::reportableEvent);
  }

  private Optional<RotationEvent.DriverEvent> reportableEvent(RotationEpoch rotationEpoch) {
    return switch (keystore.rotation()) {
      case Staged(RotationJob rotationJob) ->
          Optional.of(
              isReady(rotationJob.to())
                  ? new RotationEvent.GatePassed(rotationEpoch)
                  : new RotationEvent.Unstaged(rotationEpoch));
      case Rewrapping(RotationJob rotationJob) when isReady(rotationJob.to()) ->
          Optional.of(new RotationEvent.RewrapEnded(rotationEpoch));
      case Settling _ when isSettled() -> Optional.of(new RotationEvent.Settled(rotationEpoch));
      case Sweeping _ -> Optional.of(new RotationEvent.SweepEnded(rotationEpoch));
      case Proving(RotationJob rotationJob) ->
          Optional.of(
              state.recordsCarrying(rotationJob.from()) > 0
                  ? new RotationEvent.OldRecordsFound(rotationEpoch)
                  : new RotationEvent.Proved(rotationEpoch));
      case Rotation _ -> Optional.empty();
    };
  }

  private boolean isReady(KekVersion target) {
    ReadinessGate readinessGate = new ReadinessGate(keystore, target, PROTOCOL, (_, _) -> true);
    return state
        .protocol()
        .passesGate(readinessGate.evaluate(roster(), new ReadinessGate.AnyProcesses()));
  }

  private boolean isSettled() {
    return state.writers().stream()
        .allMatch(w -> w.keystoreView().epoch() == keystore.epoch() || w.sealRight().isOver());
  }

  VersionRemoval.Evidence removalEvidence(KekVersion version) {
    return new VersionRemoval.Evidence(
        roster(),
        Map.of("records", new VersionRemoval.Counted(state.recordsCarrying(version), true)),
        Duration.ZERO,
        Duration.ZERO);
  }

  private Roster roster() {
    List<Heartbeat> beats = new ArrayList<>();
    for (int w = 0; w < state.writers().size(); w++) {
      WriterState writer = state.writers().get(w);
      if (writer.isInRoster()) {
        beats.add(beat("writer-" + w, writer));
      }
    }
    return new Roster(beats, Instant.EPOCH);
  }

  private static Heartbeat beat(String instance, WriterState writer) {
    Map<KekVersion, Heartbeat.LoadedVersion> loadedVersions = new HashMap<>();
    for (KekVersion version : writer.keys().proved()) {
      loadedVersions.put(
          version, new Heartbeat.LoadedVersion(PROVIDER, new Heartbeat.Proved(PROOF)));
    }
    var processInfo = new Heartbeat.ProcessInfo(instance, "run", "api", "0");
    WriterState.KeystoreView keystoreView = writer.keystoreView();
    return new Heartbeat(
        processInfo,
        loadedVersions,
        keystoreView.active(),
        PROTOCOL,
        keystoreView.epoch(),
        Instant.EPOCH);
  }
}
