package keyfleet.crypto;

import java.util.Optional;

/// The key-encryption key of one version, wherever its bytes are. Wrapped DEKs are opaque to all
/// other code: a KEK that needs an IV stores it inside.
///
/// Both methods may block on a device and throw [KekUnavailableException] when it does not answer.
public interface Kek {
  KekVersion version();

  byte[] wrap(Dek dek, byte[] aad);

  /// The DEK. Empty if `wrapped` was not made by this key for this `aad`.
  Optional<Dek> unwrap(byte[] wrapped, byte[] aad);
}
