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

/// The pool of connections for statements. It translates a statement's failure into the caller's
/// exception or result.
final class PostgresPool implements AutoCloseable {
  /// Work on a connection in autocommit mode.
  interface Work<T> {
    T run(Connection connection) throws SQLException;
  }

  private interface FailureHandler<T> {
    T handle(PostgresErrorKind kind, SQLException e);
  }

  /// How often a statement is sent if each attempt ends in a deadlock or a serialization failure.
  private static final int MAX_ATTEMPTS = 10;

  private static final Duration IDLE_TIMEOUT = Duration.ofMinutes(1);
  private static final Duration MAX_LIFETIME = Duration.ofMinutes(30);

  private final String address;
  private final HikariDataSource connections;

  PostgresPool(PostgresSettings settings) {
    this.address = settings.address();
    HikariConfig config = new HikariConfig();
    config.setPoolName("keyfleet");
    config.setDataSource(settings.dataSource(Target.PRIMARY, "keyfleet"));
    config.setConnectionInitSql(SessionSettings.STATEMENT);
    config.setMaximumPoolSize(settings.poolSize());
    config.setMinimumIdle(1);
    config.setIdleTimeout(IDLE_TIMEOUT.toMillis());
    config.setMaxLifetime(MAX_LIFETIME.toMillis());
    config.setConnectionTimeout(PostgresTimeouts.POOL_WAIT.toMillis());
    config.setValidationTimeout(PostgresTimeouts.CONNECT.toMillis() / 2);
    config.setInitializationFailTimeout(-1);
    this.connections = new HikariDataSource(config);
  }

  /// Runs one statement that changes nothing.
  <T> T read(String action, Work<T> work) {
    return runWithRetry(
        action,
        work,
        (kind, e) -> {
          throw toStoreException(action, e);
        });
  }

  /// Runs a long read in one transaction, with long timeouts.
  <T> T readLong(String action, Work<T> work) {
    return read(action, connection -> runInLongTransaction(connection, work));
  }

  /// Runs one statement that changes data; returns `unknown` if its effect is unknown.
  <T> T write(String action, Work<T> work, T unknown) {
    return runWithRetry(
        action,
        work,
        (kind, e) -> {
          if (kind == PostgresErrorKind.CONNECTION_LOST) {
            return unknown;
          }
          throw toStoreException(action, e);
        });
  }

  /// The exception for a statement that has certainly changed nothing.
  StoreException toStoreException(String action, SQLException e) {
    String prefix = "cannot %s in %s: ".formatted(action, address);
    return switch (PostgresErrorKind.sqlState(e)) {
      case "57014" -> new StoreException(prefix + "the statement took longer than allowed", e);
      case "55P03" ->
          new StoreException(
              prefix + "a lock was not free within " + PostgresTimeouts.LOCK.toSeconds() + " s", e);
      case "42501" ->
          new StoreRefusedException(
              prefix + PostgresErrorKind.describe(e),
              "grant the role the missing privilege, or make it the owner of the table",
              e);
      case "42P01", "3F000", "42703" ->
          new StoreRefusedException(
              prefix + PostgresErrorKind.describe(e),
              "restore what was dropped, then start again",
              e);
      default ->
          PostgresErrorKind.of(e) == PostgresErrorKind.CONNECTION_LOST
              ? new StoreException(prefix + "the connection was lost", e)
              : new StoreException(prefix + PostgresErrorKind.describe(e), e);
    };
  }

  /// Throws if the pool has no connection in time; nothing has been sent then.
  Connection borrow(String action) {
    try {
      return connections.getConnection();
    } catch (SQLException e) {
      throw new StoreException(
          "cannot %s in %s: no connection within %d s"
              .formatted(action, address, PostgresTimeouts.POOL_WAIT.toSeconds()),
          e);
    }
  }

  /// Replaces all connections: after the loss of a server they would fail one by one.
  void evictConnections() {
    connections.getHikariPoolMXBean().softEvictConnections();
  }

  @Override
  public void close() {
    connections.close();
  }

  private <T> T runWithRetry(String action, Work<T> work, FailureHandler<T> handler) {
    for (int left = MAX_ATTEMPTS - 1; ; left--) {
      try (Connection connection = borrow(action)) {
        return work.run(connection);
      } catch (SQLException e) {
        PostgresErrorKind kind = PostgresErrorKind.of(e);
        if (kind == PostgresErrorKind.CONNECTION_LOST
            || PostgresErrorKind.sqlState(e).equals("25006")) {
          evictConnections();
        }
        if (kind != PostgresErrorKind.RETRYABLE || left == 0) {
          return handler.handle(kind, e);
        }
      }
    }
  }

  private static <T> T runInLongTransaction(Connection connection, Work<T> work)
      throws SQLException {
    connection.setNetworkTimeout(Runnable::run, (int) PostgresTimeouts.LONG_RESPONSE.toMillis());
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute(SessionSettings.LONG_READ);
    }
    T outcome = work.run(connection);
    connection.commit();
    connection.setAutoCommit(true);
    return outcome;
  }
}
