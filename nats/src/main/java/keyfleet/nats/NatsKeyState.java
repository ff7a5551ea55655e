package keyfleet.nats;

/// The state of a key, as the stream's leader reports it.
sealed interface NatsKeyState {
  /// No live value. `sequence` is that of the last message, a marker or an expired value; 0 if
  /// there is none.
  record Absent(long sequence) implements NatsKeyState {}

  record Present(NatsKeyMessage stored) implements NatsKeyState {}
}
