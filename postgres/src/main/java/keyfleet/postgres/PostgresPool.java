package keyfleet.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import keyfleet.postgres.PostgresSettings.Target;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;

/// The connections that statements share, and how a statement's failure ends for its caller.
final class PostgresPool implements AutoCloseable {
  /// What is done with a connection that is in autocommit mode.
  interface Work<T> {
    T in(Connection connection) throws SQLException;
  }

  private interface FailureHandler<T> {
    T of(PostgresErrorKind fault, SQLException e);
  }

  /// How often a statement is sent that meets deadlocks.
  private static final int TRIES = 10;

  private static final Duration IDLE = Duration.ofMinutes(1);
  private static final Duration LIFETIME = Duration.ofMinutes(30);

  private final String place;
  private final HikariDataSource connections;

  PostgresPool(PostgresSettings settings) {
    this.place = settings.place();
    HikariConfig config = new HikariConfig();
    config.setPoolName("keyfleet");
    config.setDataSource(settings.source(Target.PRIMARY, "keyfleet"));
    config.setConnectionInitSql(SessionSettings.SETTINGS);
    config.setMaximumPoolSize(settings.pool());
    config.setMinimumIdle(1);
    config.setIdleTimeout(IDLE.toMillis());
    config.setMaxLifetime(LIFETIME.toMillis());
    config.setConnectionTimeout(PostgresTimeouts.POOL.toMillis());
    config.setValidationTimeout(PostgresTimeouts.CONNECT.toMillis() / 2);
    config.setInitializationFailTimeout(-1);
    this.connections = new HikariDataSource(config);
  }

  /// Runs one statement that changes nothing.
  <T> T read(String what, Work<T> work) {
    return tried(
        what,
        work,
        (fault, e) -> {
          throw failure(what, e);
        });
  }

  /// Reads what may take long, in one transaction.
  <T> T readPatiently(String what, Work<T> work) {
    return read(what, connection -> inLongTransaction(connection, work));
  }

  /// Runs one statement that changes something; `unknown` if nobody can say whether it did.
  <T> T write(String what, Work<T> work, T unknown) {
    return tried(
        what,
        work,
        (fault, e) -> {
          if (fault == PostgresErrorKind.LOST) {
            return unknown;
          }
          throw failure(what, e);
        });
  }

  /// In words, for a statement that surely changed nothing.
  StoreException failure(String what, SQLException e) {
    String tried = "cannot %s in %s: ".formatted(what, place);
    return switch (PostgresErrorKind.state(e)) {
      case "57014" -> new StoreException(tried + "it took longer than allowed", e);
      case "55P03" ->
          new StoreException(tried + "a lock was not free within " + PostgresTimeouts.LOCK, e);
      case "42501" ->
          new StoreRefusedException(
              tried + PostgresErrorKind.words(e),
              "grant the role what it lacks, or own the table",
              e);
      case "42P01", "3F000", "42703" ->
          new StoreRefusedException(
              tried + PostgresErrorKind.words(e), "restore what was dropped, then start again", e);
      default ->
          PostgresErrorKind.of(e) == PostgresErrorKind.LOST
              ? new StoreException(tried + "the connection was lost", e)
              : new StoreException(tried + PostgresErrorKind.words(e), e);
    };
  }

  /// Before anything is sent.
  Connection borrow(String what) {
    try {
      return connections.getConnection();
    } catch (SQLException e) {
      throw new StoreException(
          "cannot %s in %s: no connection within %s".formatted(what, place, PostgresTimeouts.POOL),
          e);
    }
  }

  /// Connections of a server that went away fail one by one; this makes all of them new.
  void renew() {
    connections.getHikariPoolMXBean().softEvictConnections();
  }

  @Override
  public void close() {
    connections.close();
  }

  private <T> T tried(String what, Work<T> work, FailureHandler<T> ending) {
    for (int left = TRIES - 1; ; left--) {
      try (Connection connection = borrow(what)) {
        return work.in(connection);
      } catch (SQLException e) {
        PostgresErrorKind fault = PostgresErrorKind.of(e);
        if (fault == PostgresErrorKind.LOST || PostgresErrorKind.state(e).equals("25006")) {
          renew();
        }
        if (fault != PostgresErrorKind.AGAIN || left == 0) {
          return ending.of(fault, e);
        }
      }
    }
  }

  private static <T> T inLongTransaction(Connection connection, Work<T> work) throws SQLException {
    connection.setNetworkTimeout(Runnable::run, (int) PostgresTimeouts.LONG_ANSWER.toMillis());
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute(SessionSettings.PATIENCE);
    }
    T outcome = work.in(connection);
    connection.commit();
    connection.setAutoCommit(true);
    return outcome;
  }
}
