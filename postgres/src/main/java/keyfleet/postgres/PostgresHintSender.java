package keyfleet.postgres;

import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import keyfleet.store.Bucket;
import keyfleet.store.Key;
import keyfleet.store.StoreException;
import org.jspecify.annotations.Nullable;

/// Sends change hints about this client's writes after the server has acknowledged them.
///
/// Hints do not go into the transaction of the write: the server commits only one notifying
/// transaction at a time, and each would wait for the disk, so all writers of the fleet would
/// queue. A transaction that only notifies does not wait for the disk, and one carries many hints.
final class PostgresHintSender implements AutoCloseable {
  /// Sent in place of a key when too many keys have changed: receivers list again.
  static final String LIST_AGAIN = "*";

  private static final int MAX_WAITING = 10_000;
  private static final Duration RETRY_PAUSE = Duration.ofSeconds(1);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

  private final PostgresPool pool;
  private final String channel;
  private final Set<String> waiting = new LinkedHashSet<>();
  private final CountDownLatch closing = new CountDownLatch(1);
  private @Nullable Thread thread;

  PostgresHintSender(PostgresPool pool, String channel) {
    this.pool = pool;
    this.channel = channel;
  }

  void hintChange(Bucket bucket, Key key) {
    enqueue(bucket.name() + " " + key);
  }

  /// First sends the waiting hints, if the server accepts them soon.
  @Override
  public void close() {
    Thread sender = signalClose();
    try {
      if (sender != null) {
        sender.join(CLOSE_TIMEOUT);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void enqueue(String hint) {
    if (waiting.size() >= MAX_WAITING) {
      waiting.clear();
      waiting.add(LIST_AGAIN);
    }
    waiting.add(hint);
    if (thread == null) {
      thread = Thread.ofVirtual().name("keyfleet-postgres-hints").start(this::run);
    }
    notifyAll();
  }

  private synchronized @Nullable Thread signalClose() {
    closing.countDown();
    notifyAll();
    return thread;
  }

  private void run() {
    try {
      for (List<String> next = awaitNext(); !next.isEmpty(); next = awaitNext()) {
        if (trySend(next)) {
          continue;
        }
        if (closing.await(RETRY_PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
          return;
        }
        enqueue(LIST_AGAIN);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean trySend(List<String> hints) {
    try {
      return pool.write(
          "send hints",
          connection -> {
            try (PreparedStatement statement =
                connection.prepareStatement("SELECT pg_notify(?, hint) FROM unnest(?) AS hint")) {
              statement.setString(1, channel);
              statement.setArray(2, connection.createArrayOf("text", hints.toArray()));
              return statement.execute();
            }
          },
          false);
    } catch (StoreException e) {
      return false;
    }
  }

  /// Empty when the sender is closed and nothing waits.
  private synchronized List<String> awaitNext() throws InterruptedException {
    while (waiting.isEmpty() && closing.getCount() > 0) {
      wait();
    }
    List<String> next = List.copyOf(waiting);
    waiting.clear();
    return next;
  }
}
