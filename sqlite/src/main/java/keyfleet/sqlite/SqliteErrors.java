package keyfleet.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;

/// Translates SQLite's error codes for callers.
final class SqliteErrors {
  private static final int GENERIC = 1;
  private static final int BUSY = 5;
  private static final int LOCKED = 6;
  private static final int READONLY = 8;
  private static final int IO = 10;
  private static final int CORRUPT = 11;
  private static final int FULL = 13;
  private static final int CANNOT_OPEN = 14;
  private static final int CONSTRAINT = 19;
  private static final int NOT_A_DATABASE = 26;

  private SqliteErrors() {}

  /// The driver's message stays in the cause: it may quote stored data.
  static StoreException toStoreException(Path file, SQLException e) {
    return switch (e.getErrorCode()) {
      case GENERIC ->
          new StoreException(
              file + " no longer has the tables or columns that it had when it was opened", e);
      case BUSY, LOCKED ->
          new StoreException(
              "%s was locked by another writer for %d s"
                  .formatted(file, SqliteSession.BUSY_LIMIT.toSeconds()),
              e);
      case READONLY ->
          StoreRefusedException.noAccess(
              file + " cannot be written: the file or its disk is read-only",
              "make it writable for the user that Keyfleet runs as, or mount its disk for writing",
              e);
      case IO -> new StoreException("the disk failed to read or write " + file, e);
      case CORRUPT ->
          new StoreRefusedException(
              file + " is damaged", "stop every process that uses it and restore a backup", e);
      case FULL -> new StoreException("the disk of " + file + " is full", e);
      case CANNOT_OPEN -> new StoreException(file + " cannot be opened", e);
      case CONSTRAINT -> new StoreException("a table constraint refused a write to " + file, e);
      case NOT_A_DATABASE ->
          new StoreRefusedException(
              file + " is not a SQLite database", "name another file, or move this one away", e);
      default ->
          new StoreException("SQLite failed on %s, code %d".formatted(file, e.getErrorCode()), e);
    };
  }

  /// Whether a rollback certainly undoes a failed commit. When the disk was full, the frame that
  /// commits was never completely written. After other failures it may be in the log, where the
  /// next recovery would find it.
  static boolean isCommitUndone(SQLException e) {
    return switch (e.getErrorCode()) {
      case BUSY, FULL, CONSTRAINT, READONLY -> true;
      default -> false;
    };
  }

  /// Whether a statement that reads one file and writes another failed at the other.
  static boolean isAboutWriting(SQLException e) {
    return switch (e.getErrorCode()) {
      case FULL, READONLY, CANNOT_OPEN -> true;
      default -> false;
    };
  }

  /// Whether only the statement failed, so that the connection can still be used.
  static boolean isConnectionUsable(SQLException e) {
    return e.getErrorCode() == CONSTRAINT || e.getErrorCode() == BUSY;
  }

  /// SQLite has one code for all constraints, so the text that the fence's trigger raises
  /// identifies a refusal.
  static boolean isFenceRefusal(SQLException e) {
    return e.getErrorCode() == CONSTRAINT
        && String.valueOf(e.getMessage()).contains(SqliteFenceTriggers.REFUSAL);
  }
}
