package keyfleet.crypto;

/// The outcome of moving an envelope to another version.
public sealed interface RewrapResult permits RewrapResult.Rewrapped, NoSuchVersion, Refused {
  record Rewrapped(Envelope envelope) implements RewrapResult {}
}
