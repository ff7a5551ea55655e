package keyfleet.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.postgresql.PGConnection;

/// How a program that has only the driver learns of changes.
final class RawChangeSignals {
  private static final String CHANNEL = "bench_raw";

  private RawChangeSignals() {}

  /// Repeats a query until it is closed.
  static final class Poller implements AutoCloseable {
    interface Query {
      long read() throws Exception;
    }

    private final CountDownLatch closed = new CountDownLatch(1);

    void start(Duration period, Query query, Runnable onChange) {
      Thread.ofPlatform().daemon().name("bench-poll").start(() -> run(period, query, onChange));
    }

    private void run(Duration period, Query query, Runnable onChange) {
      try {
        long last = query.read();
        while (!closed.await(period.toMillis(), TimeUnit.MILLISECONDS)) {
          long now = query.read();
          if (now != last) {
            onChange.run();
          }
          last = now;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (Exception e) {
        if (closed.getCount() > 0) {
          throw new IllegalStateException("a poll failed", e);
        }
      }
    }

    @Override
    public void close() {
      closed.countDown();
    }
  }

  static RawSql.ChangeSignal of(SqlDatabase database) throws SQLException {
    Connection other = database.connector().connect();
    return database.name().equals("sqlite") ? forSqlite(other) : forPostgres(other);
  }

  /// SQLite sends no notification: another connection polls the data version, as often as the
  /// engine.
  private static RawSql.ChangeSignal forSqlite(Connection other) {
    Poller poller = new Poller();
    return new RawSql.ChangeSignal() {
      @Override
      public void send(Connection connection) {}

      @Override
      public void listen(Runnable onChange) {
        poller.start(
            Duration.ofMillis(250), () -> queryNumber(other, "PRAGMA data_version"), onChange);
      }

      @Override
      public void close() throws SQLException {
        poller.close();
        other.close();
      }
    };
  }

  /// Notifies with a second statement after the write, as the engine does.
  private static RawSql.ChangeSignal forPostgres(Connection other) {
    return new RawSql.ChangeSignal() {
      private volatile boolean open = true;

      @Override
      public void send(Connection connection) throws SQLException {
        try (PreparedStatement notify =
            connection.prepareStatement("SELECT pg_notify(?, 'raw.watched')")) {
          notify.setString(1, CHANNEL);
          notify.execute();
        }
      }

      @Override
      public void listen(Runnable onChange) throws SQLException {
        try (Statement listen = other.createStatement()) {
          listen.execute("LISTEN " + CHANNEL);
        }
        Thread.ofPlatform().daemon().name("bench-listen").start(() -> awaitNotifications(onChange));
      }

      private void awaitNotifications(Runnable onChange) {
        try {
          while (open) {
            var notifications = other.unwrap(PGConnection.class).getNotifications(100);
            if (notifications != null && notifications.length > 0) {
              onChange.run();
            }
          }
        } catch (SQLException e) {
          if (open) {
            throw new IllegalStateException("listening failed", e);
          }
        }
      }

      @Override
      public void close() throws SQLException {
        open = false;
        other.close();
      }
    };
  }

  private static long queryNumber(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(sql)) {
      found.next();
      return found.getLong(1);
    }
  }
}
