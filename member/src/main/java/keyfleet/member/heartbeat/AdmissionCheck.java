package keyfleet.member.heartbeat;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Heartbeat.LoadedVersion;
import keyfleet.keyring.Heartbeat.Proved;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.ProcessAdmission;
import keyfleet.keyring.SafeHold;
import keyfleet.keyring.WriteLease;
import keyfleet.member.MembershipState;
import keyfleet.member.MembershipState.Admitted;
import keyfleet.member.MembershipState.InSafeHold;
import keyfleet.member.MembershipState.ReadOnly;
import keyfleet.member.keys.LoadedKeys;

/// Decides whether this process may seal under a keystore that it has read. A command-line program
/// that runs one command uses only this check and does not join.
public final class AdmissionCheck {
  private final LoadedKeys keys;
  private final Supplier<Map<String, SafeHold.FenceMark>> fences;

  /// `fences` reads the last fence of each collection that this process writes.
  public AdmissionCheck(LoadedKeys keys, Supplier<Map<String, SafeHold.FenceMark>> fences) {
    this.keys = keys;
    this.fences = fences;
  }

  /// What was read before the keystore. A fence that is read after the keystore may be newer
  /// because a rotation has moved on. A fence that was read before it and is still newer proves
  /// that the keystore is too old.
  public record FenceReading(long startNanos, Map<String, SafeHold.FenceMark> fences) {
    public FenceReading {
      fences = Map.copyOf(fences);
    }
  }

  /// Call this before reading the keystore. The lease counts from `startNanos`.
  public FenceReading readFences(long startNanos) {
    return new FenceReading(startNanos, fences.get());
  }

  public MembershipState decide(FenceReading fenceReading, Keystore keystore) {
    return decide(fenceReading, keystore, keys.proveAll(keystore, ""));
  }

  /// Decides by the proofs that the process has just made in the keystore's epoch.
  MembershipState decide(
      FenceReading fenceReading, Keystore keystore, Map<KekVersion, LoadedVersion> loaded) {
    Optional<SafeHold> hold = SafeHold.check(keystore, fenceReading.fences());
    if (hold.isPresent()) {
      return new InSafeHold(hold.get());
    }
    Set<KekVersion> proved =
        loaded.entrySet().stream()
            .filter(it -> it.getValue().proofStatus() instanceof Proved)
            .map(Map.Entry::getKey)
            .collect(Collectors.toSet());
    return switch (ProcessAdmission.of(keystore, proved)) {
      case ProcessAdmission.Admitted() ->
          new Admitted(keystore, new WriteLease(fenceReading.startNanos(), keystore.epoch()));
      case ProcessAdmission.ReadOnly(var unproved) -> new ReadOnly(keystore, unproved);
    };
  }
}
