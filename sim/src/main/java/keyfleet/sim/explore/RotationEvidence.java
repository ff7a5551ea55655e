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
        .map(job -> new RotationEpoch(job.id(), keystore.epoch()))
        .flatMap(this::reportableEvent);
  }

  private Optional<RotationEvent.DriverEvent> reportableEvent(RotationEpoch rotationEpoch) {
    return switch (keystore.rotation()) {
      case Staged(RotationJob job) ->
          Optional.of(
              isReady(job.to())
                  ? new RotationEvent.GatePassed(rotationEpoch)
                  : new RotationEvent.Unstaged(rotationEpoch));
      case Rewrapping(RotationJob job) when isReady(job.to()) ->
          Optional.of(new RotationEvent.RewrapEnded(rotationEpoch));
      case Settling _ when isSettled() -> Optional.of(new RotationEvent.Settled(rotationEpoch));
      case Sweeping _ -> Optional.of(new RotationEvent.SweepEnded(rotationEpoch));
      case Proving(RotationJob job) ->
          Optional.of(
              state.recordsCarrying(job.from()) > 0
                  ? new RotationEvent.OldRecordsFound(rotationEpoch)
                  : new RotationEvent.Proved(rotationEpoch));
      case Rotation _ -> Optional.empty();
    };
  }

  private boolean isReady(KekVersion target) {
    ReadinessGate gate = new ReadinessGate(keystore, target, PROTOCOL, (_, _) -> true, List.of());
    return state.protocol().isGatePassed(gate.evaluate(roster(), new ReadinessGate.AnyProcesses()));
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
    List<Heartbeat> heartbeats = new ArrayList<>();
    for (int w = 0; w < state.writers().size(); w++) {
      WriterState writer = state.writers().get(w);
      if (writer.isInRoster()) {
        heartbeats.add(heartbeat("writer-" + w, writer));
      }
    }
    return new Roster(heartbeats, Instant.EPOCH);
  }

  private static Heartbeat heartbeat(String instance, WriterState writer) {
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
