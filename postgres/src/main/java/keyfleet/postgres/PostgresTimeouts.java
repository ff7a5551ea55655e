package keyfleet.postgres;

import java.time.Duration;

/// The timeouts of this engine.
final class PostgresTimeouts {
  /// For a host to accept the connection.
  static final Duration CONNECT = Duration.ofSeconds(5);

  /// For the pool to have a free connection or open a new one.
  static final Duration POOL_WAIT = Duration.ofSeconds(5);

  /// For a short statement, enforced by the server. It is less than [#RESPONSE], so that a slow
  /// statement ends with an error of the server and not in silence.
  static final Duration STATEMENT = Duration.ofSeconds(10);

  /// For a lock, enforced by the server.
  static final Duration LOCK = Duration.ofSeconds(5);

  /// For any response of the server.
  static final Duration RESPONSE = Duration.ofSeconds(15);

  /// For a statement that reads a whole table, enforced by the server.
  static final Duration LONG_STATEMENT = Duration.ofMinutes(30);

  static final Duration LONG_RESPONSE = LONG_STATEMENT.plus(RESPONSE);

  /// For the client to continue an open transaction, enforced by the server.
  static final Duration IDLE_IN_TRANSACTION = Duration.ofSeconds(15);

  private PostgresTimeouts() {}
}
