package keyfleet.crypto;

/// The outcome of sealing a value.
public sealed interface SealResult permits SealResult.Sealed, NoSuchVersion {
  record Sealed(Envelope envelope) implements SealResult {}
}
