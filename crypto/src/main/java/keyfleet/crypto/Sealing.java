package keyfleet.crypto;

/// What sealing a value came to.
public sealed interface Sealing permits Sealing.Sealed, NoSuchVersion {
  record Sealed(Envelope envelope) implements Sealing {}
}
