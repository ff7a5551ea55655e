package keyfleet.providers;

import keyfleet.crypto.KekSet;

/// A place where the KEKs of one keyring live. The KEKs that it hands out wrap and unwrap by
/// themselves.
public interface KekProvider extends AutoCloseable {
  /// What heartbeats and messages call this kind of provider: `env`, `file`…
  String name();

  /// Looks again and returns every version that can be used now. A version that was returned before
  /// is the same object as before: its bytes are never replaced in memory. Throws
  /// [ProviderException] if anything found is bad; what an earlier call returned stays usable.
  KekSet load();

  /// Forgets the keys; those handed out stop working.
  @Override
  void close();
}
