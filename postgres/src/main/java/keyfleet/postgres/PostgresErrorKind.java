package keyfleet.postgres;

import java.sql.SQLException;
import java.util.Set;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/// What a failed statement tells about what the server did.
enum PostgresErrorKind {
  /// The server rolled back, for a reason that is gone at the next try.
  RETRYABLE,
  /// The server refused and rolled back: nothing was changed.
  REFUSED,
  /// The server, or what this client has of it, is going away. With autocommit the answer to a
  /// statement may precede its commit, so nobody here knows whether it was made.
  CONNECTION_LOST;

  /// Serialization failure, deadlock.
  private static final Set<String> RETRYABLE_STATES = Set.of("40001", "40P01");

  /// Connection, shutdown, I/O of the server, internal error; and a session that was ended for
  /// idling, whose error comes unasked.
  private static final Set<String> CONNECTION_LOST_STATES = Set.of("08", "57P", "58", "XX", "25P0");

  static PostgresErrorKind of(SQLException e) {
    String state = sqlState(e);
    if (RETRYABLE_STATES.contains(state)) {
      return RETRYABLE;
    }
    boolean answered = e instanceof PSQLException it && it.getServerErrorMessage() != null;
    return answered && CONNECTION_LOST_STATES.stream().noneMatch(state::startsWith)
        ? REFUSED
        : CONNECTION_LOST;
  }

  static String sqlState(SQLException e) {
    String state = e.getSQLState();
    return state == null ? "" : state;
  }

  /// The server's own sentence, or else what kind of failure it was.
  static String describe(SQLException e) {
    ServerErrorMessage error = e instanceof PSQLException it ? it.getServerErrorMessage() : null;
    String message = error == null ? null : error.getMessage();
    return message == null ? "SQLSTATE " + sqlState(e) : message + " (" + sqlState(e) + ")";
  }
}
