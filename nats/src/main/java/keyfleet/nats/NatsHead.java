package keyfleet.nats;

/// What a key holds, as its leader tells.
sealed interface NatsHead {
  /// No live value. The last message is a marker or has run out; 0 is none at all.
  record Free(long sequence) implements NatsHead {}

  record Taken(NatsStored stored) implements NatsHead {}
}
