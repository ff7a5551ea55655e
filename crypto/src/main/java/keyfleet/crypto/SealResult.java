package keyfleet.crypto;

/// What sealing a value came to.
public sealed interface SealResult permits SealResult.Sealed, NoSuchVersion {
  record Sealed(Envelope envelope) implements SealResult {}
}
