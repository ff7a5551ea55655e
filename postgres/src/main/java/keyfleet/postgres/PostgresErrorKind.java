package keyfleet.postgres;

import java.sql.SQLException;
import java.util.Set;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/// What a failed statement tells about what the server did.
enum PostgresErrorKind {
  /// The server rolled back, for a reason that is gone at the next try.
  AGAIN,
  /// The server refused and rolled back: nothing was changed.
  REFUSED,
  /// The server, or what this client has of it, is going away. With autocommit the answer to a
  /// statement may precede its commit, so nobody here knows whether it was made.
  LOST;

  /// Serialization failure, deadlock.
  private static final Set<String> PASSING = Set.of("40001", "40P01");

  /// Connection, shutdown, I/O of the server, internal error; and a session that was ended for
  /// idling, whose error comes unasked.
  private static final Set<String> LOSING = Set.of("08", "57P", "58", "XX", "25P0");

  static PostgresErrorKind of(SQLException e) {
    String state = state(e);
    if (PASSING.contains(state)) {
      return AGAIN;
    }
    boolean answered = e instanceof PSQLException it && it.getServerErrorMessage() != null;
    return answered && LOSING.stream().noneMatch(state::startsWith) ? REFUSED : LOST;
  }

  static String state(SQLException e) {
    String state = e.getSQLState();
    return state == null ? "" : state;
  }

  /// The server's own sentence, or else what kind of failure it was.
  static String words(SQLException e) {
    ServerErrorMessage said = e instanceof PSQLException it ? it.getServerErrorMessage() : null;
    String message = said == null ? null : said.getMessage();
    return message == null ? "SQLSTATE " + state(e) : message + " (" + state(e) + ")";
  }
}
