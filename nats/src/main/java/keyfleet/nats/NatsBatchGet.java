package keyfleet.nats;

import io.nats.client.Message;
import io.nats.client.Subscription;
import io.nats.client.support.Status;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import keyfleet.store.StoreException;

/// A request for the last messages of many subjects, by one direct get.
///
/// Any replica may answer it, also one that is behind. It tells how far it is, so its answer counts
/// only if that is no less than where the leader was when the listing began: then it knows all that
/// had been acknowledged.
final class NatsBatchGet implements AutoCloseable {
  sealed interface Result {
    /// All of the subjects that there are.
    record Complete(Map<String, NatsKeyMessage> found) implements Result {}

    /// As many as fit into [#MAX_BYTES].
    record Partial(Map<String, NatsKeyMessage> found) implements Result {}

    /// The replica is behind.
    record StaleReplica() implements Result {}

    /// The replica has none of the subjects; it does not say then how far it is.
    record NoneFound() implements Result {}
  }

  /// The server's own limit of results.
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

  /// Once for each time it was sent.
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
              "%s cannot be listed: %s"
                  .formatted(stream.bucket(), message.getStatus().getMessageWithCode()));
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
      throw new StoreException("interrupted while listing " + stream.bucket(), e);
    } catch (IllegalStateException e) {
      throw new StoreException("closed while listing " + stream.bucket(), e);
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
