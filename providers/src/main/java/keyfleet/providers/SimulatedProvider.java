package keyfleet.providers;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import keyfleet.crypto.Dek;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;

/// Local keys that behave like those of a remote service: each call has a latency, and too many
/// calls in a second fail.
final class SimulatedProvider implements KekProvider {
  static final String NAME = "simulated";

  private final KekProvider local;
  private final SimulatedRemote remote;
  private final Map<KekVersion, RemoteKek> remoteKeks = new HashMap<>();

  SimulatedProvider(KekProvider local, SimulatedRemote remote) {
    this.local = local;
    this.remote = remote;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public KekSet load() {
    KekSet kekSet = local.load();
    return KekSet.of(
        kekSet.keyring(),
        kekSet.versions().stream().map(v -> remoteKek(kekSet.find(v).orElseThrow())).toList());
  }

  @Override
  public KeyDeletion prepareDeletion(KekVersion version, Set<KekVersion> kept) {
    return local.prepareDeletion(version, kept);
  }

  private RemoteKek remoteKek(Kek kek) {
    return remoteKeks.compute(
        kek.version(),
        (_, known) ->
            known != null && known.kek().equals(kek) ? known : new RemoteKek(kek, remote));
  }

  private record RemoteKek(Kek kek, SimulatedRemote remote) implements Kek {
    @Override
    public KekVersion version() {
      return kek.version();
    }

    @Override
    public byte[] wrap(Dek dek, byte[] aad) {
      remote.call();
      return kek.wrap(dek, aad);
    }

    @Override
    public Optional<Dek> unwrap(byte[] wrapped, byte[] aad) {
      remote.call();
      return kek.unwrap(wrapped, aad);
    }
  }

  @Override
  public void close() {
    local.close();
  }
}
