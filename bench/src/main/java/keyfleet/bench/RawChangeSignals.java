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

/// How someone who has only the driver hears of changes.
final class RawChangeSignals {
  private static final String CHANNEL = "bench_raw";

  private RawChangeSignals() {}

  /// What is asked again and again, until it is closed.
  static final class Poller implements AutoCloseable {
    interface Query {
      long ask() throws Exception;
    }

    private final CountDownLatch closed = new CountDownLatch(1);

    void start(Duration period, Query question, Runnable heard) {
      Thread.ofPlatform().daemon().name("bench-poll").start(() -> run(period, question, heard));
    }

    private void run(Duration period, Query question, Runnable heard) {
      try {
        long last = question.ask();
        while (!closed.await(period.toMillis(), TimeUnit.MILLISECONDS)) {
          long now = question.ask();
          if (now != last) {
            heard.run();
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

  /// SQLite tells nobody: another connection asks for its version, as often as the engine does.
  static RawSql.ChangeSignal sqlite(Connection other) {
    Poller poll = new Poller();
    return new RawSql.ChangeSignal() {
      @Override
      public void ring(Connection connection) {}

      @Override
      public void listen(Runnable heard) {
        poll.start(Duration.ofMillis(250), () -> number(other, "PRAGMA data_version"), heard);
      }

      @Override
      public void close() throws SQLException {
        poll.close();
        other.close();
      }
    };
  }

  /// A second statement after the write, as in the engine.
  static RawSql.ChangeSignal postgres(Connection other) {
    return new RawSql.ChangeSignal() {
      private volatile boolean open = true;

      @Override
      public void ring(Connection connection) throws SQLException {
        try (PreparedStatement notify =
            connection.prepareStatement("SELECT pg_notify(?, 'raw.watched')")) {
          notify.setString(1, CHANNEL);
          notify.execute();
        }
      }

      @Override
      public void listen(Runnable heard) throws SQLException {
        try (Statement listen = other.createStatement()) {
          listen.execute("LISTEN " + CHANNEL);
        }
        Thread.ofPlatform().daemon().name("bench-listen").start(() -> hear(heard));
      }

      private void hear(Runnable heard) {
        try {
          while (open) {
            var told = other.unwrap(PGConnection.class).getNotifications(100);
            if (told != null && told.length > 0) {
              heard.run();
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

  private static long number(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(sql)) {
      found.next();
      return found.getLong(1);
    }
  }
}
