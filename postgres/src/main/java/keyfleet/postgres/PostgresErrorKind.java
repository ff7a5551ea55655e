package keyfleet.postgres;

import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.Set;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/// What the error of a statement says about its effect on the server.
enum PostgresErrorKind {
  /// The server rolled back for a passing reason; the statement can be sent again.
  RETRYABLE,
  /// The server refused and rolled back: nothing has changed.
  REFUSED,
  /// The server or the connection is lost. With autocommit the response to a statement may precede
  /// its commit, so it is unknown whether the statement took effect.
  CONNECTION_LOST;

  /// Serialization failure, deadlock.
  private static final Set<String> RETRYABLE_STATES = Set.of("40001", "40P01");

  /// Connection, shutdown, I/O of the server, internal error; and a session that the server ended
  /// because it was idle, whose error arrives at any time.
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

  /// The server's own message with its code, or else what is wrong with the connection.
  static String describe(SQLException e) {
    ServerErrorMessage error = e instanceof PSQLException it ? it.getServerErrorMessage() : null;
    String message = error == null ? null : error.getMessage();
    return message == null ? describeConnection(e) : message + " (" + sqlState(e) + ")";
  }

  private static String describeConnection(SQLException e) {
    for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
      switch (cause) {
        case UnknownHostException _ -> {
          return "its host name is unknown";
        }
        case SocketTimeoutException _ -> {
          return "no answer in time";
        }
        case ConnectException it when String.valueOf(it.getMessage()).contains("refused") -> {
          return "connection refused";
        }
        default -> {}
      }
    }
    return "the connection was lost";
  }
}
