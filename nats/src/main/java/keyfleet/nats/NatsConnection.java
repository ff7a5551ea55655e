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

/// The one connection of an engine, which the driver mends by itself. Every wait on it ends.
final class NatsConnection implements AutoCloseable {
  static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

  /// When a question is put again. While a leader is elected nobody answers, nor later.
  private static final List<Duration> PATIENCE =
      List.of(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(2));

  /// A stream that is new or has a new leader is unknown to some servers for a moment.
  private static final int UNSERVED_TRIES = 5;

  private static final Duration UNSERVED_PAUSE = Duration.ofMillis(200);
  private static final String API = "$JS.API.";

  private final Connection connection;
  private final NatsExecutors threads;
  private final String where;

  NatsConnection(Connection connection, NatsExecutors threads, String where) {
    this.connection = connection;
    this.threads = threads;
    this.where = where;
  }

  ServerInfo server() {
    return connection.getServerInfo();
  }

  String where() {
    return where;
  }

  NatsExecutors threads() {
    return threads;
  }

  /// Reaches someone at most once: only what came to nobody is sent again.
  NatsReply request(String subject, Headers headers, byte[] body) {
    NatsReply answer = once(subject, headers, body);
    for (int i = 1; i < UNSERVED_TRIES && answer instanceof NoResponders; i++) {
      threads.pause(UNSERVED_PAUSE);
      answer = once(subject, headers, body);
    }
    return answer;
  }

  private NatsReply once(String subject, Headers headers, byte[] body) {
    CompletableFuture<Message> answer;
    try {
      answer = connection.requestWithTimeout(subject, headers, body, ANSWER_LIMIT);
    } catch (IllegalStateException e) {
      return new NotSent(down());
    }
    return await(answer, ANSWER_LIMIT);
  }

  /// Asks JetStream's API for what may be asked again.
  Message ask(String call, String body) {
    List<CompletableFuture<Message>> asked = new ArrayList<>();
    NatsReply answer = new TimedOut();
    for (Duration patience : PATIENCE) {
      try {
        asked.add(
            connection.requestWithTimeout(
                API + call, new Headers(), body.getBytes(UTF_8), ANSWER_LIMIT));
      } catch (IllegalStateException e) {
        throw new StoreException(down(), e);
      }
      answer =
          await(
              CompletableFuture.anyOf(asked.toArray(CompletableFuture[]::new))
                  .thenApply(Message.class::cast),
              patience);
      if (answer instanceof Answered(var message)) {
        return message;
      }
    }
    throw answer instanceof Undelivered nobody ? new StoreException(nobody.why()) : silent(call);
  }

  private NatsReply await(CompletableFuture<Message> answer, Duration limit) {
    try {
      return new Answered(answer.get(limit.toMillis(), TimeUnit.MILLISECONDS));
    } catch (ExecutionException e) {
      return e.getCause() instanceof JetStreamStatusException
          ? new NoResponders("nobody at " + where + " serves that just now")
          : new TimedOut();
    } catch (TimeoutException | CancellationException e) {
      return new TimedOut();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new TimedOut();
    }
  }

  /// Sends a call that is answered by many messages, which come to a subscription.
  void ask(String call, String body, String replyTo) {
    try {
      connection.publish(API + call, replyTo, body.getBytes(UTF_8));
    } catch (IllegalStateException e) {
      throw new StoreException(down(), e);
    }
  }

  Subscription subscribe(String subject) {
    try {
      return connection.subscribe(subject);
    } catch (IllegalStateException e) {
      throw new StoreException(down(), e);
    }
  }

  String inbox() {
    return connection.createInbox();
  }

  /// Also when it has ended already, or its connection.
  static void end(@Nullable Subscription subscription) {
    try {
      if (subscription != null && subscription.isActive()) {
        subscription.unsubscribe();
      }
    } catch (IllegalStateException e) {
      return; // another thread was quicker
    }
  }

  StoreException silent(String call) {
    return new StoreException(
        "no answer from %s to %s within %s".formatted(where, call, ANSWER_LIMIT));
  }

  /// The driver gives up for good when a server refuses who we are twice.
  private String down() {
    return connection.getStatus() == Connection.Status.CLOSED
        ? "the connection to " + where + " is closed"
        : "the connection to " + where + " is down";
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    threads.close();
  }
}
