package keyfleet.crypto;

import java.util.Optional;

/// A key-encryption key of one version, wherever its bytes live. Wrapped DEKs are opaque to
/// everyone else; a KEK that needs an IV, its own or a token's, carries it inside.
///
/// Both methods may block on a device and throw [KekUnavailableException] when it does not answer.
public interface Kek {
  KekVersion version();

  byte[] wrap(Dek dek, byte[] aad);

  /// The DEK, or nothing if `wrapped` was not made by this key for this `aad`.
  Optional<Dek> unwrap(byte[] wrapped, byte[] aad);
}
