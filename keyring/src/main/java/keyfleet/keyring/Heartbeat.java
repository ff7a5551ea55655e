package keyfleet.keyring;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.Proof;

/// What a process says of itself, every heartbeat. `at` is store time: hosts' clocks do not agree.
public record Heartbeat(
    Origin origin,
    Map<KekVersion, Loaded> loaded,
    KekVersion current,
    int protocol,
    long epoch,
    Instant at) {
  /// `run` tells two lives under one instance name apart.
  public record Origin(String instance, String run, String role, String software) {}

  /// A version that the process holds, where from, and the proof that its bytes are the right ones.
  public record Loaded(String provider, Proof proof) {}

  public Heartbeat {
    loaded = Map.copyOf(loaded);
  }

  public String instance() {
    return origin.instance();
  }

  Optional<Loaded> holds(KekVersion version) {
    return Optional.ofNullable(loaded.get(version));
  }
}
