package keyfleet.keyring;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.Proof;
import org.jspecify.annotations.Nullable;

/// What a process says of itself, every heartbeat. `at` is store time: hosts' clocks do not agree.
///
/// @param current what it seals under; nothing while there is no keystore
/// @param epoch that of the keystore it last read, for which its proofs hold; 0 before the first
public record Heartbeat(
    ProcessInfo process,
    Map<KekVersion, LoadedVersion> loadedVersion,
    @Nullable KekVersion current,
    int protocol,
    long epoch,
    Instant writtenAt) {
  /// `run` tells two lives under one instance name apart.
  public record ProcessInfo(String instance, String run, String role, String software, Host host) {
    public ProcessInfo(String instance, String run, String role, String software) {
      this(instance, run, role, software, Host.UNKNOWN);
    }
  }

  /// Where a person finds the process. `pod` is empty outside Kubernetes; `startedAt` is that
  /// host's own clock, for reading only.
  public record Host(String name, long pid, String pod, Instant startedAt) {
    static final Host UNKNOWN = new Host("", 0, "", Instant.EPOCH);
  }

  /// A version that the process holds, where from, and what it says for its being the right one.
  public record LoadedVersion(String provider, ProofStatus proofStatus) {}

  public sealed interface ProofStatus {}

  public record Proved(Proof proof) implements ProofStatus {}

  /// It could not open the sentinel, or not unwrap what it wrapped: its bytes are other ones.
  public record Failed() implements ProofStatus {}

  /// It knew no sentinel of that version, or its device did not answer.
  public record Untried() implements ProofStatus {}

  public Heartbeat {
    loadedVersion = Map.copyOf(loadedVersion);
  }

  public String instance() {
    return process.instance();
  }

  Optional<LoadedVersion> loadedVersion(KekVersion version) {
    return Optional.ofNullable(loadedVersion.get(version));
  }
}
