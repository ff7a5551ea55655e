package keyfleet.providers;

import java.util.Set;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;

/// The source of the KEKs of one keyring. The KEKs that it returns wrap and unwrap by themselves.
public interface KekProvider extends AutoCloseable {
  /// The kind of provider, as heartbeats and messages name it: `env`, `file`…
  String name();

  /// The folder in which people place keys for this provider; empty if it has none.
  default String keyFolder() {
    return "";
  }

  /// Loads every version that can be used now. A version that was returned before is the same
  /// object as before: its bytes are never replaced in memory. Throws [ProviderException] if
  /// anything it finds is invalid; the KEKs of earlier calls stay usable.
  KekSet load();

  /// How the key of `version`, which this provider has loaded and the fleet has given up, can be
  /// deleted. The keys of the `kept` versions must stay usable.
  default KeyDeletion prepareDeletion(KekVersion version, Set<KekVersion> kept) {
    return new KeyDeletion.ByHand(
        "delete the key of " + version + " where provider " + name() + " keeps it");
  }

  /// Drops the keys; KEKs that were returned stop working.
  @Override
  void close();
}
