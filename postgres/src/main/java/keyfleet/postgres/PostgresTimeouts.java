package keyfleet.postgres;

import java.time.Duration;

/// How long this engine waits for what.
final class PostgresTimeouts {
  /// For a host to take the connection.
  static final Duration CONNECT = Duration.ofSeconds(5);

  /// For a connection of the pool to be free, or made.
  static final Duration POOL_WAIT = Duration.ofSeconds(5);

  /// For a short statement, by the server. It is less than [#RESPONSE], so that a slow statement
  /// ends in the server's own word and not in silence.
  static final Duration STATEMENT = Duration.ofSeconds(10);

  /// For a lock, by the server.
  static final Duration LOCK = Duration.ofSeconds(5);

  /// For the server to say anything.
  static final Duration RESPONSE = Duration.ofSeconds(15);

  /// For a statement that reads a whole table, by the server.
  static final Duration LONG_STATEMENT = Duration.ofMinutes(30);

  static final Duration LONG_RESPONSE = LONG_STATEMENT.plus(RESPONSE);

  /// For the client to go on with a transaction it began, by the server.
  static final Duration IDLE_IN_TRANSACTION = Duration.ofSeconds(15);

  private PostgresTimeouts() {}
}
