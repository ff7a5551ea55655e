package keyfleet.providers;

import keyfleet.crypto.KekSet;

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

  /// Drops the keys; KEKs that were returned stop working.
  @Override
  void close();
}
