package keyfleet.nats;

import io.nats.client.Message;

/// What became of a request.
sealed interface NatsReply {
  record Answered(Message message) implements NatsReply {}

  /// Surely nothing happened.
  sealed interface Undelivered extends NatsReply {
    String reason();
  }

  /// There is no connection, so it was not sent.
  record NotSent(String reason) implements Undelivered {}

  /// It came to nobody.
  record NoResponders(String reason) implements Undelivered {}

  /// No answer in time: anything may have happened, or may yet.
  record TimedOut() implements NatsReply {}
}
