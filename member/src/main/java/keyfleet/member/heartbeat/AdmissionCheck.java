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

/// Says whether this process may seal by a keystore that it has read. A program that runs for one
/// command only asks here, without joining.
public final class AdmissionCheck {
  private final LoadedKeys keys;
  private final Supplier<Map<String, SafeHold.FenceMark>> fences;

  /// `fences` says who last fenced each collection that this process writes.
  public AdmissionCheck(LoadedKeys keys, Supplier<Map<String, SafeHold.FenceMark>> fences) {
    this.keys = keys;
    this.fences = fences;
  }

  /// What was found before the keystore was read. A fence that is read after it may well be ahead
  /// of it, as somebody has gone on meanwhile; one that was read before and is ahead stays so.
  public record FenceReading(long beganNanos, Map<String, SafeHold.FenceMark> fences) {
    public FenceReading {
      fences = Map.copyOf(fences);
    }
  }

  /// To be called before the keystore is read. The lease will count from `began`.
  public FenceReading readFences(long began) {
    return new FenceReading(began, fences.get());
  }

  public MembershipState decide(FenceReading fenceReading, Keystore keystore) {
    return decide(fenceReading, keystore, keys.proveAll(keystore, ""));
  }

  /// By what the process has just shown of its keys in the keystore's epoch.
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
          new Admitted(keystore, new WriteLease(fenceReading.beganNanos(), keystore.epoch()));
      case ProcessAdmission.ReadOnly(var unproved) -> new ReadOnly(keystore, unproved);
    };
  }
}
