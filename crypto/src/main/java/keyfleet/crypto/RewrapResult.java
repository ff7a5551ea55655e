package keyfleet.crypto;

/// What moving an envelope to another version came to.
public sealed interface RewrapResult permits RewrapResult.Rewrapped, NoSuchVersion, Refused {
  record Rewrapped(Envelope envelope) implements RewrapResult {}
}
