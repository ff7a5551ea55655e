package keyfleet.nats;

import io.nats.client.Message;

/// What became of a request.
sealed interface NatsAnswer {
  record Said(Message message) implements NatsAnswer {}

  /// Surely nothing happened.
  sealed interface Undelivered extends NatsAnswer {
    String why();
  }

  /// There is no connection, so it was not sent.
  record Unsent(String why) implements Undelivered {}

  /// It came to nobody.
  record Unserved(String why) implements Undelivered {}

  /// No answer in time: anything may have happened, or may yet.
  record Silence() implements NatsAnswer {}
}
