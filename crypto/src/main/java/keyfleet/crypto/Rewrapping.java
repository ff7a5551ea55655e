package keyfleet.crypto;

/// What moving an envelope to another version came to.
public sealed interface Rewrapping permits Rewrapping.Rewrapped, NoSuchVersion, Refused {
  record Rewrapped(Envelope envelope) implements Rewrapping {}
}
