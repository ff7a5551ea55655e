package keyfleet.crypto;

/// What opening an envelope came to.
public sealed interface Opening permits Opening.Opened, NoSuchVersion, Refused {
  /// The caller owns the plaintext and closes it.
  record Opened(SecretBytes plaintext, KekVersion version) implements Opening {}
}
