package keyfleet.crypto;

/// What opening an envelope came to.
public sealed interface OpenResult permits OpenResult.Opened, NoSuchVersion, Refused {
  /// The caller owns the plaintext and closes it.
  record Opened(SecretBytes plaintext, KekVersion version) implements OpenResult {}
}
