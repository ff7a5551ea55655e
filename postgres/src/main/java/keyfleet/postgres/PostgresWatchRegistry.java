package keyfleet.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import keyfleet.postgres.PostgresSettings.Target;
import keyfleet.store.Bucket;
import keyfleet.store.Key;
import keyfleet.store.Prefix;
import keyfleet.store.Watch;
import keyfleet.store.Watcher;
import keyfleet.store.engine.WatchSubscriptions;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/// All watches of this client, on one separate connection that listens. The first watch opens it;
/// it is probed periodically and opened again when lost.
final class PostgresWatchRegistry implements AutoCloseable {
  private static final Duration PROBE_INTERVAL = Duration.ofSeconds(5);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(5);

  private final PostgresSettings settings;
  private final String channel;
  private final PostgresHintSender hintSender;
  private final WatchSubscriptions subscriptions = new WatchSubscriptions();
  private final CountDownLatch listening = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);
  private final AtomicBoolean missed = new AtomicBoolean();
  private volatile @Nullable Connection listeningConnection;
  private @Nullable Thread thread;

  PostgresWatchRegistry(PostgresSettings settings, PostgresPool pool, String channel) {
    this.settings = settings;
    this.channel = channel;
    this.hintSender = new PostgresHintSender(pool, channel);
  }

  /// Sends a hint to the watches of all clients soon.
  void hintChange(Bucket bucket, Key key) {
    hintSender.hintChange(bucket, key);
  }

  /// Returns when the connection listens. If that takes too long, the watch starts with a `Missed`
  /// once it does.
  Watch add(Bucket bucket, Prefix prefix, Watcher watcher) {
    Watch watch = subscriptions.add(bucket, prefix, watcher);
    startIfNeeded();
    if (!await(listening, PostgresTimeouts.POOL_WAIT)) {
      missed.set(true);
    }
    return watch;
  }

  @Override
  public void close() {
    hintSender.close();
    closed.countDown();
    subscriptions.close();
    Connection open = listeningConnection;
    if (open != null) {
      abort(open);
    }
  }

  private synchronized void startIfNeeded() {
    if (thread == null) {
      thread = Thread.ofVirtual().name("keyfleet-postgres-watches").start(this::listen);
    }
  }

  private void listen() {
    Duration pause = FIRST_PAUSE;
    while (!await(closed, pause)) {
      try (Connection connection =
          settings.dataSource(Target.PRIMARY, "keyfleet watches").getConnection()) {
        listeningConnection = connection;
        subscribe(connection);
        pause = FIRST_PAUSE;
        receive(connection);
      } catch (SQLException e) {
        missed.set(true);
        Duration doubled = pause.multipliedBy(2);
        pause = doubled.compareTo(MAX_PAUSE) < 0 ? doubled : MAX_PAUSE;
      }
    }
  }

  private void subscribe(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(SessionSettings.STATEMENT);
      statement.execute("LISTEN " + channel);
    }
    listening.countDown();
  }

  private void receive(Connection connection) throws SQLException {
    PGConnection source = connection.unwrap(PGConnection.class);
    while (!await(closed, Duration.ZERO)) {
      if (missed.getAndSet(false)) {
        subscriptions.deliverMissed();
      }
      PGNotification[] notifications = source.getNotifications((int) PROBE_INTERVAL.toMillis());
      if (notifications == null || notifications.length == 0) {
        checkAlive(connection);
      } else {
        List.of(notifications).forEach(it -> handlePayload(it.getParameter()));
      }
    }
    abort(connection);
  }

  private void handlePayload(String payload) {
    String[] parts = payload.split(" ", 2);
    if (payload.equals(PostgresHintSender.LIST_AGAIN)) {
      subscriptions.deliverMissed();
    } else if (parts.length == 2 && Key.isValid(parts[1])) {
      subscriptions.deliverChange(parts[0], new Key(parts[1]));
    }
  }

  /// Silence proves nothing: a connection that a firewall dropped looks like one without
  /// notifications.
  private static void checkAlive(Connection connection) throws SQLException {
    if (!connection.isValid((int) PostgresTimeouts.CONNECT.toSeconds())) {
      throw new SQLException("the connection of the watches is dead", "08006");
    }
  }

  private static void abort(Connection connection) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      // The connection is closed already.
    }
  }

  private static boolean await(CountDownLatch latch, Duration limit) {
    try {
      return latch.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
