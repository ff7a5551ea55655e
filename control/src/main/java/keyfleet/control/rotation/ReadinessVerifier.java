package keyfleet.control.rotation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import keyfleet.control.rewrap.CollectionSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.OpenedSentinel;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.ReadinessGate;
import keyfleet.keyring.ReadinessGate.Laggard;
import keyfleet.keyring.ReadinessGate.NoFreshProcess;
import keyfleet.keyring.ReadinessGate.NotReady;
import keyfleet.keyring.ReadinessGate.Ready;
import keyfleet.keyring.ReadinessGate.Verdict;
import keyfleet.keyring.Roster;
import keyfleet.keyring.RosterSummary;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionEntry;
import keyfleet.member.document.RosterStore.BatchedRoster;
import keyfleet.member.heartbeat.ProcessIdentity;
import keyfleet.member.keys.LoadedKeys;

/// Checks with the roster whether the fleet is ready for a version. The process must hold that
/// version.
public final class ReadinessVerifier {
  private final KeyringStore keyringStore;
  private final LoadedKeys keys;

  public ReadinessVerifier(KeyringStore keyringStore, LoadedKeys keys) {
    this.keyringStore = keyringStore;
    this.keys = keys;
  }

  /// The caller must have read the keystore before this call: only then does the roster contain
  /// each process that joined without seeing that keystore.
  public Verdict verify(
      Keystore keystore, KekVersion target, ReadinessGate.ExpectedProcesses expectedProcesses) {
    return evaluate(keystore, target, gate -> verify(keystore.timings(), expectedProcesses, gate));
  }

  /// As [#verify], for a roster that was read after the keystore.
  public Verdict verify(
      Keystore keystore,
      KekVersion target,
      ReadinessGate.ExpectedProcesses expectedProcesses,
      Roster roster) {
    return evaluate(keystore, target, gate -> gate.evaluate(roster, expectedProcesses));
  }

  private Verdict evaluate(
      Keystore keystore, KekVersion target, Function<ReadinessGate, Verdict> evaluation) {
    VersionEntry entry = keystore.versions().get(target);
    Optional<OpenedSentinel> sentinel =
        entry == null ? Optional.empty() : entry.sentinel().open(keys.cipher());
    try {
      ReadinessGate.ProofCheck proofs =
          (claim, proof) -> sentinel.map(it -> it.isValid(claim, proof)).orElse(false);
      return evaluation.apply(
          new ReadinessGate(
              keystore,
              target,
              ProcessIdentity.PROTOCOL,
              proofs,
              keyringStore.readKnownPlugins(keystore)));
    } finally {
      sentinel.ifPresent(OpenedSentinel::close);
    }
  }

  /// Evaluates a large roster while it is read, and reads it again if a process became stale
  /// meanwhile.
  private Verdict verify(
      Timings timings, ReadinessGate.ExpectedProcesses expectedProcesses, ReadinessGate gate) {
    BatchedRoster<RosterSummary> reading =
        keyringStore.readRoster(
            timings, (heartbeats, latest) -> gate.summarize(heartbeats, latest, expectedProcesses));
    return gate.evaluate(reading.batches(), reading.remainder(), expectedProcesses)
        .orElseGet(() -> gate.evaluate(keyringStore.readRoster(timings), expectedProcesses));
  }

  /// The reason why a rotation cannot continue, if there is one.
  Optional<String> findObjection(Keystore keystore, RotationJob job, CollectionSet collections) {
    return collections
        .describeUnreachable()
        .or(() -> objectionText(verify(keystore, job.to(), job.expectedProcesses())));
  }

  private static Optional<String> objectionText(Verdict verdict) {
    return switch (verdict) {
      case Ready _ -> Optional.empty();
      case NoFreshProcess _ -> Optional.of("no process is fresh");
      case NotReady(var laggards, var missing, var silent, _) -> {
        List<String> texts = new ArrayList<>();
        for (Laggard laggard : laggards) {
          texts.add(laggard.heartbeat().instance() + " " + laggard.reason().description());
        }
        missing.forEach(process -> texts.add(process + " is missing"));
        silent.forEach(it -> texts.add("plugin " + it.instance() + " is silent"));
        yield Optional.of(String.join("; ", texts));
      }
    };
  }
}
