package keyfleet.crypto;

/// The outcome of opening an envelope.
public sealed interface OpenResult permits OpenResult.Opened, NoSuchVersion, Refused {
  /// The caller owns the plaintext and closes it.
  record Opened(SecretBytes plaintext, KekVersion version) implements OpenResult {}
}
