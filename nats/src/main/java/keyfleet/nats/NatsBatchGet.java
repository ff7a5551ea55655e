package keyfleet.nats;

import io.nats.client.Message;
import io.nats.client.Subscription;
import io.nats.client.support.Status;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import keyfleet.store.StoreException;

/// Requests the last messages of many subjects with one direct get.
///
/// Any replica may answer, even one that is behind the leader. The answer includes the replica's
/// last sequence. It is used only if that is at least the leader's sequence when the listing began:
/// then the replica has every write that was acknowledged before.
final class NatsBatchGet implements AutoCloseable {
  sealed interface Result {
    /// All subjects that exist.
    record Complete(Map<String, NatsKeyMessage> found) implements Result {}

    /// As many as fit into [#MAX_BYTES].
    record Partial(Map<String, NatsKeyMessage> found) implements Result {}

    /// The replica is behind.
    record StaleReplica() implements Result {}

    /// The replica has none of the subjects. In this case its answer does not include its sequence.
    record NoneFound() implements Result {}
  }

  /// The server's limit on results.
  static final int LIMIT = 1_024;

  private static final int MAX_BYTES = 8 << 20;

  private final NatsConnection connection;
  private final NatsStream stream;
  private final List<String> subjects;
  private final Subscription answers;

  NatsBatchGet(NatsConnection connection, NatsStream stream, List<String> subjects) {
    this.connection = connection;
    this.stream = stream;
    this.subjects = List.copyOf(subjects);
    this.answers = connection.subscribe(connection.createInbox());
  }

  List<String> subjects() {
    return subjects;
  }

  NatsBatchGet send() {
    String quoted = subjects.stream().collect(Collectors.joining("\",\"", "[\"", "\"]"));
    String body = "{\"multi_last\":%s,\"max_bytes\":%d}".formatted(quoted, MAX_BYTES);
    connection.callApi("DIRECT.GET." + stream.name(), body, answers.getSubject());
    return this;
  }

  /// Called once after each [#send].
  Result await(long sequence) {
    Map<String, NatsKeyMessage> found = new HashMap<>();
    Message message = awaitMessage();
    while (!message.isStatusMessage()) {
      found.put(message.getHeaders().getFirst("Nats-Subject"), NatsKeyMessage.of(message));
      message = awaitMessage();
    }
    return switch (message.getStatus().getCode()) {
      case Status.EOB_CODE -> toResult(found, message, sequence);
      case Status.NOT_FOUND_CODE -> new Result.NoneFound();
      default ->
          throw new StoreException(
              "the %s cannot be listed: %s"
                  .formatted(stream.bucket().label(), message.getStatus().getMessageWithCode()));
    };
  }

  private static Result toResult(Map<String, NatsKeyMessage> found, Message end, long sequence) {
    if (numberHeader(end, "Nats-UpTo-Sequence") < sequence) {
      return new Result.StaleReplica();
    }
    return numberHeader(end, "Nats-Num-Pending") == 0
        ? new Result.Complete(found)
        : new Result.Partial(found);
  }

  private Message awaitMessage() {
    try {
      Message message = answers.nextMessage(NatsConnection.ANSWER_LIMIT);
      if (message == null) {
        throw connection.noAnswer("DIRECT.GET." + stream.name());
      }
      return message;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted while listing the " + stream.bucket().label(), e);
    } catch (IllegalStateException e) {
      throw new StoreException(
          "the connection was closed while listing the " + stream.bucket().label(), e);
    }
  }

  private static long numberHeader(Message message, String name) {
    String value = message.getHeaders().getFirst(name);
    return value == null ? 0 : Long.parseLong(value);
  }

  @Override
  public void close() {
    NatsConnection.unsubscribe(answers);
  }
}
