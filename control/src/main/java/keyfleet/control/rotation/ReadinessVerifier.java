package keyfleet.control.rotation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import keyfleet.control.rewrap.CollectionSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.OpenedSentinel;
import keyfleet.keyring.FleetReadiness;
import keyfleet.keyring.FleetReadiness.Laggard;
import keyfleet.keyring.FleetReadiness.NoFreshProcess;
import keyfleet.keyring.FleetReadiness.NotReady;
import keyfleet.keyring.FleetReadiness.Ready;
import keyfleet.keyring.FleetReadiness.Verdict;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.RosterSummary;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionEntry;
import keyfleet.member.document.RosterStore.BatchedRoster;
import keyfleet.member.heartbeat.ProcessIdentity;
import keyfleet.member.keys.LoadedKeys;

/// Whether the fleet is ready for a version, judged by a process that holds it.
public final class ReadinessVerifier {
  private final KeyringStore keyringStore;
  private final LoadedKeys keys;

  public ReadinessVerifier(KeyringStore keyringStore, LoadedKeys keys) {
    this.keyringStore = keyringStore;
    this.keys = keys;
  }

  /// The keystore must have been read before this is called: only then does the roster hold all who
  /// joined without seeing what it says.
  public Verdict verify(
      Keystore keystore, KekVersion target, FleetReadiness.ExpectedProcesses expectedProcesses) {
    VersionEntry keyVersion = keystore.versions().get(target);
    Optional<OpenedSentinel> sentinel =
        keyVersion == null ? Optional.empty() : keyVersion.sentinel().open(keys.cipher());
    try {
      FleetReadiness.ProofCheck proofs =
          (claim, proof) -> sentinel.map(it -> it.isValid(claim, proof)).orElse(false);
      return verify(
          keystore.timings(),
          expectedProcesses,
          new FleetReadiness(keystore, target, ProcessIdentity.PROTOCOL, proofs));
    } finally {
      sentinel.ifPresent(OpenedSentinel::close);
    }
  }

  /// A large roster is judged while it is read, and read again if somebody became stale meanwhile.
  private Verdict verify(
      Timings timings,
      FleetReadiness.ExpectedProcesses expectedProcesses,
      FleetReadiness fleetReadiness) {
    BatchedRoster<RosterSummary> batchedRoster =
        keyringStore.readRoster(
            timings, (beats, latest) -> fleetReadiness.summarize(beats, latest, expectedProcesses));
    return fleetReadiness
        .evaluate(batchedRoster.batches(), batchedRoster.remainder(), expectedProcesses)
        .orElseGet(
            () -> fleetReadiness.evaluate(keyringStore.readRoster(timings), expectedProcesses));
  }

  /// Why a rotation may not go on, if so.
  Optional<String> findObjection(
      Keystore keystore, RotationJob rotationJob, CollectionSet collections) {
    return collections
        .findUnreachable()
        .or(() ->
            objectionText(verify(keystore, rotationJob.to(), rotationJob.expectedProcesses())));
  }

  private static Optional<String> objectionText(Verdict verdict) {
    return switch (verdict) {
      case Ready _ -> Optional.empty();
      case NoFreshProcess _ -> Optional.of("no process was heard of lately");
      case NotReady(var laggards, var missing, _) -> {
        List<String> texts = new ArrayList<>();
        for (Laggard laggard : laggards) {
          texts.add(laggard.heartbeat().instance() + " " + laggard.reason().description());
        }
        missing.forEach(process -> texts.add(process + " is missing"));
        yield Optional.of(String.join("; ", texts));
      }
    };
  }
}
