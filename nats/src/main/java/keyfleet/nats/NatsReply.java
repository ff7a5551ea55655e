package keyfleet.nats;

import io.nats.client.Message;

/// How a request ended.
sealed interface NatsReply {
  record Answered(Message message) implements NatsReply {}

  /// The request certainly had no effect.
  sealed interface Undelivered extends NatsReply {
    String reason();
  }

  /// Not sent, because there is no connection.
  record NotSent(String reason) implements Undelivered {}

  /// Sent, but no server subscribes to the subject.
  record NoResponders(String reason) implements Undelivered {}

  /// No answer in time: the request may have had an effect, or may still have one.
  record TimedOut() implements NatsReply {}
}
