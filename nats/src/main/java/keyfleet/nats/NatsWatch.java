package keyfleet.nats;

import io.nats.client.Message;
import io.nats.client.Subscription;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.ConsumerCreateRequest;
import io.nats.client.api.ConsumerInfo;
import io.nats.client.api.DeliverPolicy;
import io.nats.client.support.Status;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import keyfleet.store.ChangeHint.Changed;
import keyfleet.store.ChangeHint.Missed;
import keyfleet.store.StoreException;
import keyfleet.store.Watch;
import keyfleet.store.Watcher;
import keyfleet.store.engine.WatchSubscription;
import org.jspecify.annotations.Nullable;

/// One watch: an ephemeral consumer that sends the names of changed keys, and a thread that reads
/// them. When the consumer falls silent or skips a number, the watch creates a new one, and only
/// then gives the hint `Missed`: the watcher gets hints of all changes after that.
final class NatsWatch implements Watch {
  private static final Duration HEARTBEAT = Duration.ofSeconds(1);
  private static final Duration SILENCE_LIMIT = Duration.ofMillis(3_500);
  private static final Duration RETRY_PAUSE = Duration.ofMillis(250);

  /// When the server may delete a consumer without a reader.
  private static final Duration INACTIVE_LIMIT = Duration.ofSeconds(10);

  private final NatsConnection connection;
  private final NatsStream stream;
  private final String filter;
  private final WatchSubscription hints;
  private final AtomicReference<@Nullable Subscription> current = new AtomicReference<>();

  NatsWatch(NatsConnection connection, NatsStream stream, String filter, Watcher watcher) {
    this.connection = connection;
    this.stream = stream;
    this.filter = filter;
    this.hints = new WatchSubscription(watcher);
  }

  /// The watcher gets hints of all changes after this returns.
  void start() {
    Subscription first = subscribe();
    connection.executors().tasks().execute(() -> run(first));
  }

  /// Ends the current subscription, so that the thread notices it at once.
  void restart() {
    NatsConnection.unsubscribe(current.get());
  }

  @Override
  public void close() {
    hints.close();
    restart();
  }

  private void run(Subscription first) {
    deliverHints(first);
    NatsConnection.unsubscribe(first);
    for (Subscription next = resubscribe(); next != null; next = resubscribe()) {
      hints.deliver(new Missed());
      deliverHints(next);
      NatsConnection.unsubscribe(next);
    }
  }

  /// Returns when the subscription has ended, fallen silent or skipped a message.
  private void deliverHints(Subscription subscription) {
    long last = 0;
    try {
      Message message = subscription.nextMessage(SILENCE_LIMIT);
      while (message != null && !hints.isClosed()) {
        long number = sequence(message);
        if (message.isStatusMessage() ? number != last : number != ++last) {
          return;
        }
        if (!message.isStatusMessage()) {
          hints.deliver(new Changed(stream.key(message.getSubject())));
        }
        message = subscription.nextMessage(SILENCE_LIMIT);
      }
    } catch (IllegalStateException e) {
      return;
    } catch (InterruptedException e) {
      hints.close();
      Thread.currentThread().interrupt();
    }
  }

  /// The number of this message among the consumer's. A heartbeat has that of the last message
  /// sent; any other status means that the consumer has ended.
  private static long sequence(Message message) {
    if (!message.isStatusMessage()) {
      return message.metaData().consumerSequence();
    }
    boolean isHeartbeat = message.getStatus().getCode() == Status.FLOW_OR_HEARTBEAT_STATUS_CODE;
    String last = isHeartbeat ? message.getHeaders().getFirst("Nats-Last-Consumer") : null;
    return last == null ? -1 : Long.parseLong(last);
  }

  /// Null if the watch is closed.
  private @Nullable Subscription resubscribe() {
    while (!hints.isClosed()) {
      try {
        return subscribe();
      } catch (StoreException e) {
        connection.executors().pause(RETRY_PAUSE);
      }
    }
    return null;
  }

  private Subscription subscribe() {
    String inbox = connection.createInbox();
    Subscription subscription = connection.subscribe(inbox);
    try {
      ConsumerConfiguration configuration = configuration(inbox);
      String call = "CONSUMER.CREATE.%s.%s".formatted(stream.name(), configuration.getName());
      ConsumerInfo response =
          new ConsumerInfo(
              connection.callApi(
                  call, new ConsumerCreateRequest(stream.name(), configuration).toJson()));
      if (response.hasError()) {
        throw NatsErrors.toStoreException(
            "the " + stream.bucket().label() + " cannot be watched", response);
      }
    } catch (StoreException e) {
      NatsConnection.unsubscribe(subscription);
      throw e;
    }
    current.set(subscription);
    return subscription;
  }

  private ConsumerConfiguration configuration(String inbox) {
    return ConsumerConfiguration.builder()
        .name("keyfleet-" + inbox.substring(inbox.lastIndexOf('.') + 1))
        .deliverSubject(inbox)
        .deliverPolicy(DeliverPolicy.New)
        .filterSubject(filter)
        .ackPolicy(AckPolicy.None)
        .headersOnly(true)
        .idleHeartbeat(HEARTBEAT)
        .inactiveThreshold(INACTIVE_LIMIT)
        .memStorage(true)
        .numReplicas(1)
        .build();
  }
}
