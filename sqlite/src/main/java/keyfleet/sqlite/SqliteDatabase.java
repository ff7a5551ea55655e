package keyfleet.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import keyfleet.sqlite.SqliteSession.Durability;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import org.jspecify.annotations.Nullable;

/// An open database file with a pool of connections. It runs reads and transactions. It closes a
/// connection that failed, and the next call opens another, so the file is usable again as soon as
/// the problem is over.
final class SqliteDatabase implements AutoCloseable {
  static final int MAX_SESSIONS = 8;

  @FunctionalInterface
  interface SqlWork<T> {
    T run(SqliteSession session) throws SQLException;
  }

  private final Path path;

  /// Null if the database is only read.
  private final @Nullable SqliteWriterQueue queue;

  private final Durability durability;
  private final Semaphore permits = new Semaphore(MAX_SESSIONS, true);
  private final Deque<SqliteSession> idle = new ArrayDeque<>();

  /// Identifies the file as it was when it was opened.
  private final Object fileKey;

  private volatile boolean closed;

  /// The file must exist.
  SqliteDatabase(Path path, SqliteWriterQueue queue, Durability durability) {
    this(path, durability, queue);
  }

  /// Opens an existing file for a command that only reads.
  static SqliteDatabase openForReading(Path path) {
    return new SqliteDatabase(path, Durability.FULL, null);
  }

  private SqliteDatabase(Path path, Durability durability, @Nullable SqliteWriterQueue queue) {
    this.path = path;
    this.queue = queue;
    this.durability = durability;
    this.fileKey = readFileKey(path).orElse(path);
  }

  boolean isForReading() {
    return queue == null;
  }

  private SqliteWriterQueue.Turn awaitTurn() {
    if (queue == null) {
      throw new IllegalStateException(path + " was opened for reading");
    }
    return queue.awaitTurn();
  }

  Path path() {
    return path;
  }

  /// Each statement reads one snapshot.
  <T> T read(SqlWork<T> work) {
    SqliteSession session = borrow();
    try {
      checkNotReplaced();
      T result = work.run(session);
      giveBack(session);
      return result;
    } catch (SQLException e) {
      discard(session);
      throw SqliteErrors.toStoreException(path, e);
    } catch (RuntimeException e) {
      giveBack(session);
      throw e;
    }
  }

  /// On a connection that nothing else used: `VACUUM` refuses one with an unfinished statement.
  <T> T readOnNewConnection(SqlWork<T> work) {
    try (SqliteSession session = openSession()) {
      return work.run(session);
    } catch (SQLException e) {
      throw SqliteErrors.toStoreException(path, e);
    }
  }

  /// All statements of the work read the same snapshot.
  <T> T readSnapshot(SqlWork<T> work) {
    return read(session -> {
      session.run("BEGIN");
      try {
        return work.run(session);
      } finally {
        session.rollback();
      }
    });
  }

  /// Runs one transaction; empty if it is unknown whether it was committed. If the work throws,
  /// nothing is changed.
  <T> Optional<T> write(SqlWork<T> work) {
    try (SqliteWriterQueue.Turn _ = awaitTurn()) {
      SqliteSession session = borrow();
      try {
        session.run("BEGIN IMMEDIATE");
        checkNotReplaced();
        T result = work.run(session);
        Optional<T> committed = commit(session) ? Optional.of(result) : Optional.empty();
        giveBackIf(committed.isPresent(), session);
        return committed;
      } catch (SQLException e) {
        rollBack(session, SqliteErrors.isConnectionUsable(e));
        throw SqliteErrors.toStoreException(path, e);
      } catch (RuntimeException e) {
        rollBack(session, true);
        throw e;
      }
    }
  }

  /// For work that is safe to repeat, because it first checks whether it is already done.
  <T> T writeRepeatable(SqlWork<T> work) {
    return write(work)
        .orElseThrow(() -> new StoreException("it is unknown whether " + path + " was written"));
  }

  /// Runs with the writers' lock but without a transaction, as changing the journal mode requires.
  <T> T runAlone(SqlWork<T> work) {
    try (SqliteWriterQueue.Turn _ = awaitTurn()) {
      return read(work);
    }
  }

  @Override
  public void close() {
    closed = true;
    synchronized (idle) {
      idle.forEach(SqliteSession::close);
      idle.clear();
    }
  }

  /// False if the outcome is unknown.
  private static boolean commit(SqliteSession session) throws SQLException {
    try {
      session.run("COMMIT");
      return true;
    } catch (SQLException e) {
      if (SqliteErrors.isCommitUndone(e)) {
        throw e;
      }
      return false;
    }
  }

  private void rollBack(SqliteSession session, boolean usable) {
    giveBackIf(session.rollback() && usable, session);
  }

  private void giveBackIf(boolean usable, SqliteSession session) {
    if (usable) {
      giveBack(session);
    } else {
      discard(session);
    }
  }

  /// A process that kept writing to a file that other processes no longer find would acknowledge
  /// writes that are lost.
  private void checkNotReplaced() {
    if (!fileKey.equals(readFileKey(path).orElse(null))) {
      throw fileReplaced();
    }
  }

  private StoreRefusedException fileReplaced() {
    return new StoreRefusedException(
        path + " is not the file that was opened: it was replaced or deleted",
        "stop every process that uses it, put the file in its place, start them again");
  }

  private static Optional<Object> readFileKey(Path path) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
      @Nullable Object fileKey = attributes.fileKey();
      // On a system without file numbers, only the path identifies a file.
      return Optional.of(fileKey == null ? path : fileKey);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private SqliteSession borrow() {
    if (closed) {
      throw new StoreException(path + " was closed");
    }
    awaitPermit();
    @Nullable SqliteSession pooled;
    synchronized (idle) {
      pooled = idle.pollFirst();
    }
    try {
      return pooled == null ? openSession() : pooled;
    } catch (RuntimeException e) {
      permits.release();
      throw e;
    }
  }

  /// Never opens a replaced file: SQLite would apply the old file's log to it.
  private SqliteSession openSession() {
    checkNotReplaced();
    try {
      return isForReading()
          ? SqliteSession.openForReading(path)
          : SqliteSession.open(path, durability);
    } catch (SQLException e) {
      throw SqliteErrors.toStoreException(path, e);
    }
  }

  private void awaitPermit() {
    try {
      if (!permits.tryAcquire(SqliteWriterQueue.LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new StoreException(
            "%d calls on %s took longer than %d s"
                .formatted(MAX_SESSIONS, path, SqliteWriterQueue.LIMIT.toSeconds()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted while waiting for " + path, e);
    }
  }

  private void giveBack(SqliteSession session) {
    synchronized (idle) {
      idle.addFirst(session);
    }
    permits.release();
    if (closed) {
      close();
    }
  }

  private void discard(SqliteSession session) {
    session.close();
    permits.release();
  }
}
