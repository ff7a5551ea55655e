package keyfleet.keyring;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.Proof;
import org.jspecify.annotations.Nullable;

/// The state that a process reports about itself in every heartbeat. `writtenAt` is store time,
/// because the clocks of hosts differ.
///
/// @param current the version it seals under; null while there is no keystore
/// @param epoch the epoch of the keystore it last read, for which its proofs hold; 0 before the
///   first read
/// @param keyFolder the folder in which people place keys for it, as it was given; empty if it has
///   none
public record Heartbeat(
    ProcessInfo process,
    Map<KekVersion, LoadedVersion> loadedVersions,
    @Nullable KekVersion current,
    int protocol,
    long epoch,
    Instant writtenAt,
    String keyFolder) {
  public Heartbeat(
      ProcessInfo process,
      Map<KekVersion, LoadedVersion> loadedVersions,
      @Nullable KekVersion current,
      int protocol,
      long epoch,
      Instant writtenAt) {
    this(process, loadedVersions, current, protocol, epoch, writtenAt, "");
  }

  /// `run` distinguishes two runs under one instance name.
  public record ProcessInfo(String instance, String run, String role, String software, Host host) {
    public ProcessInfo(String instance, String run, String role, String software) {
      this(instance, run, role, software, Host.UNKNOWN);
    }
  }

  /// Where an operator finds the process. `pod` is empty outside Kubernetes. `startedAt` is from
  /// the clock of the host and only for display.
  public record Host(String name, long pid, String pod, Instant startedAt) {
    static final Host UNKNOWN = new Host("", 0, "", Instant.EPOCH);
  }

  /// A version that the process has loaded, its provider, and whether it is proved to be the right
  /// key.
  public record LoadedVersion(String provider, ProofStatus proofStatus) {}

  public sealed interface ProofStatus {}

  public record Proved(Proof proof) implements ProofStatus {}

  /// The process could not open the sentinel, or could not unwrap what it wrapped: its key has
  /// other bytes.
  public record Failed() implements ProofStatus {}

  /// The process has no sentinel for the version, or its device did not answer.
  public record Untried() implements ProofStatus {}

  public Heartbeat {
    loadedVersions = Map.copyOf(loadedVersions);
  }

  public String instance() {
    return process.instance();
  }

  Optional<LoadedVersion> loadedVersion(KekVersion version) {
    return Optional.ofNullable(loadedVersions.get(version));
  }
}
