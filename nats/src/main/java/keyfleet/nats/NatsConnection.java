package keyfleet.nats;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nats.client.Connection;
import io.nats.client.JetStreamStatusException;
import io.nats.client.Message;
import io.nats.client.Subscription;
import io.nats.client.api.ServerInfo;
import io.nats.client.impl.Headers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import keyfleet.nats.NatsReply.Answered;
import keyfleet.nats.NatsReply.NoResponders;
import keyfleet.nats.NatsReply.NotSent;
import keyfleet.nats.NatsReply.TimedOut;
import keyfleet.nats.NatsReply.Undelivered;
import keyfleet.store.StoreException;
import org.jspecify.annotations.Nullable;

/// The only connection of an engine. The driver reconnects by itself. Every wait on the connection
/// has a limit.
final class NatsConnection implements AutoCloseable {
  static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

  /// How long to wait before a request is sent again: a request sent during a leader election is
  /// never answered.
  private static final List<Duration> RETRY_INTERVALS =
      List.of(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(2));

  /// For a moment, some servers do not know a new stream or a stream's new leader.
  private static final int NO_RESPONDERS_TRIES = 5;

  private static final Duration NO_RESPONDERS_PAUSE = Duration.ofMillis(200);
  private static final String API = "$JS.API.";

  private final Connection connection;
  private final NatsExecutors executors;
  private final String url;

  NatsConnection(Connection connection, NatsExecutors executors, String url) {
    this.connection = connection;
    this.executors = executors;
    this.url = url;
  }

  ServerInfo server() {
    return connection.getServerInfo();
  }

  String url() {
    return url;
  }

  NatsExecutors executors() {
    return executors;
  }

  /// Reaches a server at most once: the request is sent again only if it had no responders.
  NatsReply request(String subject, Headers headers, byte[] body) {
    NatsReply reply = requestOnce(subject, headers, body);
    for (int i = 1; i < NO_RESPONDERS_TRIES && reply instanceof NoResponders; i++) {
      executors.pause(NO_RESPONDERS_PAUSE);
      reply = requestOnce(subject, headers, body);
    }
    return reply;
  }

  private NatsReply requestOnce(String subject, Headers headers, byte[] body) {
    CompletableFuture<Message> reply;
    try {
      reply = connection.requestWithTimeout(subject, headers, body, ANSWER_LIMIT);
    } catch (IllegalStateException e) {
      return new NotSent(describeOutage());
    }
    return await(reply, ANSWER_LIMIT);
  }

  /// Calls JetStream's API with a request that is safe to repeat.
  Message callApi(String call, String body) {
    List<CompletableFuture<Message>> requests = new ArrayList<>();
    NatsReply reply = new TimedOut();
    for (Duration interval : RETRY_INTERVALS) {
      try {
        requests.add(
            connection.requestWithTimeout(
                API + call, new Headers(), body.getBytes(UTF_8), ANSWER_LIMIT));
      } catch (IllegalStateException e) {
        throw new StoreException(describeOutage(), e);
      }
      reply =
          await(
              CompletableFuture.anyOf(requests.toArray(CompletableFuture[]::new))
                  .thenApply(Message.class::cast),
              interval);
      if (reply instanceof Answered(var message)) {
        return message;
      }
    }
    throw reply instanceof Undelivered undelivered
        ? new StoreException(undelivered.reason())
        : noAnswer(call);
  }

  private NatsReply await(CompletableFuture<Message> reply, Duration limit) {
    try {
      return new Answered(reply.get(limit.toMillis(), TimeUnit.MILLISECONDS));
    } catch (ExecutionException e) {
      return e.getCause() instanceof JetStreamStatusException
          ? new NoResponders("no server at " + url + " serves this request at the moment")
          : new TimedOut();
    } catch (TimeoutException | CancellationException e) {
      return new TimedOut();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new TimedOut();
    }
  }

  /// Sends a call that many messages answer; they arrive at the subscription on `replyTo`.
  void callApi(String call, String body, String replyTo) {
    try {
      connection.publish(API + call, replyTo, body.getBytes(UTF_8));
    } catch (IllegalStateException e) {
      throw new StoreException(describeOutage(), e);
    }
  }

  Subscription subscribe(String subject) {
    try {
      return connection.subscribe(subject);
    } catch (IllegalStateException e) {
      throw new StoreException(describeOutage(), e);
    }
  }

  String createInbox() {
    return connection.createInbox();
  }

  /// Does nothing if the subscription has ended or the connection is closed.
  static void unsubscribe(@Nullable Subscription subscription) {
    try {
      if (subscription != null && subscription.isActive()) {
        subscription.unsubscribe();
      }
    } catch (IllegalStateException e) {
      return; // another thread ended it first
    }
  }

  StoreException noAnswer(String call) {
    return new StoreException(
        "%s did not answer %s within %d s".formatted(url, call, ANSWER_LIMIT.toSeconds()));
  }

  /// The driver closes the connection for good when a server refuses the login twice.
  private String describeOutage() {
    return connection.getStatus() == Connection.Status.CLOSED
        ? "the connection to " + url + " is closed"
        : "the connection to " + url + " is down";
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    executors.close();
  }
}
