package keyfleet.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import keyfleet.postgres.PostgresSettings.Target;
import keyfleet.store.Bucket;
import keyfleet.store.ChangeHint;
import keyfleet.store.ChangeHint.Changed;
import keyfleet.store.ChangeHint.Missed;
import keyfleet.store.Key;
import keyfleet.store.Prefix;
import keyfleet.store.Watch;
import keyfleet.store.Watcher;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/// All watches of this client, on one connection of their own that listens. It is made at the first
/// watch, asked on a period whether it still lives, and made again when lost.
final class PostgresWatchRegistry implements AutoCloseable {
  /// No record: two equal ones are closed apart.
  private static final class Subscription {
    private final String bucket;
    private final Prefix prefix;
    private final Watcher watcher;
    private volatile boolean open = true;

    Subscription(Bucket bucket, Prefix prefix, Watcher watcher) {
      this.bucket = bucket.name();
      this.prefix = prefix;
      this.watcher = watcher;
    }

    void changed(String inBucket, Key key) {
      if (bucket.equals(inBucket) && prefix.covers(key)) {
        tell(new Changed(key));
      }
    }

    void tell(ChangeHint changeHint) {
      try {
        if (open) {
          watcher.onHint(changeHint);
        }
      } catch (RuntimeException e) {
        // A bug of one watcher must not silence the others; it lists again on its period.
      }
    }
  }

  private static final Duration PULSE = Duration.ofSeconds(5);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private final PostgresSettings settings;
  private final String channel;
  private final PostgresHintSender sender;
  private final List<Subscription> listeners = new CopyOnWriteArrayList<>();
  private final CountDownLatch listening = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);
  private final AtomicBoolean missed = new AtomicBoolean();
  private volatile @Nullable Connection current;
  private @Nullable Thread thread;

  PostgresWatchRegistry(PostgresSettings settings, PostgresPool pool, String channel) {
    this.settings = settings;
    this.channel = channel;
    this.sender = new PostgresHintSender(pool, channel);
  }

  /// Tells the watches of every client, soon.
  void changed(Bucket bucket, Key key) {
    sender.changed(bucket, key);
  }

  /// Returns when the server was told to send hints; if that takes too long, the watch begins with
  /// a `Missed` once it is.
  Watch add(Bucket bucket, Prefix prefix, Watcher watcher) {
    Subscription listener = new Subscription(bucket, prefix, watcher);
    listeners.add(listener);
    start();
    if (!isOver(listening, PostgresTimeouts.POOL)) {
      missed.set(true);
    }
    return () -> {
      listener.open = false;
      listeners.remove(listener);
    };
  }

  @Override
  public void close() {
    sender.close();
    closed.countDown();
    listeners.clear();
    Connection held = current;
    if (held != null) {
      abort(held);
    }
  }

  private synchronized void start() {
    if (thread == null) {
      thread = Thread.ofVirtual().name("keyfleet-postgres-watches").start(this::listen);
    }
  }

  private void listen() {
    Duration pause = FIRST_PAUSE;
    while (!isOver(closed, pause)) {
      try (Connection connection =
          settings.source(Target.PRIMARY, "keyfleet watches").getConnection()) {
        current = connection;
        subscribe(connection);
        pause = FIRST_PAUSE;
        receive(connection);
      } catch (SQLException e) {
        missed.set(true);
        Duration doubled = pause.multipliedBy(2);
        pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
      }
    }
  }

  private void subscribe(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(SessionSettings.SETTINGS);
      statement.execute("LISTEN " + channel);
    }
    listening.countDown();
  }

  private void receive(Connection connection) throws SQLException {
    PGConnection source = connection.unwrap(PGConnection.class);
    while (!isOver(closed, Duration.ZERO)) {
      if (missed.getAndSet(false)) {
        tellAll();
      }
      PGNotification[] told = source.getNotifications((int) PULSE.toMillis());
      if (told == null || told.length == 0) {
        checkPulse(connection);
      } else {
        List.of(told).forEach(it -> told(it.getParameter()));
      }
    }
    abort(connection);
  }

  private void tellAll() {
    listeners.forEach(it -> it.tell(new Missed()));
  }

  private void told(String payload) {
    String[] words = payload.split(" ", 2);
    if (payload.equals(PostgresHintSender.ANYTHING)) {
      tellAll();
    } else if (words.length == 2 && Key.isValid(words[1])) {
      Key key = new Key(words[1]);
      listeners.forEach(it -> it.changed(words[0], key));
    }
  }

  /// A connection that a firewall forgot is silent, and so is one without news.
  private static void checkPulse(Connection connection) throws SQLException {
    if (!connection.isValid((int) PostgresTimeouts.CONNECT.toSeconds())) {
      throw new SQLException("the connection of the watches is dead", "08006");
    }
  }

  private static void abort(Connection connection) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      // It is gone already, which is what was wanted.
    }
  }

  private static boolean isOver(CountDownLatch latch, Duration limit) {
    try {
      return latch.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
