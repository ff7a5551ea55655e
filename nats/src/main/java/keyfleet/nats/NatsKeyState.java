package keyfleet.nats;

/// What a key holds, as its leader tells.
sealed interface NatsKeyState {
  /// No live value. The last message is a marker or has run out; 0 is none at all.
  record Absent(long sequence) implements NatsKeyState {}

  record Present(NatsKeyMessage stored) implements NatsKeyState {}
}
