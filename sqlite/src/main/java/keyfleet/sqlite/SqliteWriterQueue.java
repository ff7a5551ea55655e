package keyfleet.sqlite;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import keyfleet.store.StoreException;
import org.jspecify.annotations.Nullable;

/// A fair queue for the writers of a database: threads wait in a fair lock, processes on two bytes
/// of a lock file. SQLite's own busy waiting is random, so that one process can starve the others.
///
/// A single kernel lock would be unfair too, because a process that releases it may take it again
/// before the waiting processes wake up. So there are two bytes, a waiting byte and a write byte.
/// The next writer holds the waiting byte until it has the write byte, so a writer that has just
/// finished must queue behind it.
///
/// Only fairness depends on this class. A writer that does not queue, or whose lock file was
/// deleted, is still excluded by SQLite's own lock.
final class SqliteWriterQueue implements AutoCloseable {
  /// Applies to waiting for threads and for processes separately.
  static final Duration LIMIT = Duration.ofSeconds(10);

  /// The waiting byte and the write byte.
  static final int BYTES = 2;

  /// The right to write, until it is closed.
  interface Turn extends AutoCloseable {
    @Override
    void close();
  }

  private final Path path;
  private final FileChannel channel;
  private final long room;
  private final Duration limit;
  private final ReentrantLock threads = new ReentrantLock(true);

  /// The kernel's lock call has no timeout, so this thread makes it for the caller. Created on
  /// first use, by a thread that holds `threads`.
  private @Nullable ExecutorService waiter;

  SqliteWriterQueue(Path path, FileChannel channel, long room, Duration limit) {
    this.path = path;
    this.channel = channel;
    this.room = room;
    this.limit = limit;
  }

  Turn enter() {
    awaitThreads();
    try {
      FileLock door = door();
      return () -> leave(door);
    } catch (RuntimeException e) {
      threads.unlock();
      throw e;
    }
  }

  @Override
  public void close() {
    threads.lock();
    try {
      if (waiter != null) {
        waiter.shutdownNow();
      }
    } finally {
      threads.unlock();
    }
  }

  private void awaitThreads() {
    try {
      if (!threads.tryLock(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        throw tooLong("threads of this process");
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private FileLock door() {
    try {
      @Nullable FileLock inRoom = free(room);
      @Nullable FileLock through = inRoom == null ? null : free(room + 1);
      if (inRoom == null || through == null) {
        return awaitDoor(inRoom);
      }
      inRoom.release();
      return through;
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /// Null if another process has the lock, or this process's own waiter after its caller gave up.
  private @Nullable FileLock free(long at) throws IOException {
    try {
      return channel.tryLock(at, 1, false);
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  private FileLock awaitDoor(@Nullable FileLock inRoom) {
    CompletableFuture<FileLock> asked = new CompletableFuture<>();
    waiter().execute(() -> waitFor(asked, inRoom));
    try {
      return asked.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return giveUp(asked, tooLong("other processes"));
    } catch (InterruptedException e) {
      return giveUp(asked, interrupted(e));
    } catch (ExecutionException e) {
      throw failed(e.getCause());
    }
  }

  /// The lock may be granted at this very moment; then the caller gets it after all.
  private static FileLock giveUp(CompletableFuture<FileLock> asked, StoreException why) {
    if (asked.completeExceptionally(why)) {
      throw why;
    }
    return asked.join();
  }

  private void waitFor(CompletableFuture<FileLock> asked, @Nullable FileLock inRoom) {
    try (FileLock _ = inRoom == null ? channel.lock(room, 1, false) : inRoom) {
      FileLock through = channel.lock(room + 1, 1, false);
      if (!asked.complete(through)) {
        through.release();
      }
    } catch (IOException | OverlappingFileLockException e) {
      asked.completeExceptionally(e);
    }
  }

  private ExecutorService waiter() {
    if (waiter == null) {
      // A platform thread, because waiting in the kernel would block a carrier thread.
      waiter =
          Executors.newSingleThreadExecutor(
              Thread.ofPlatform().daemon().name("keyfleet-sqlite-queue").factory());
    }
    return waiter;
  }

  private void leave(FileLock door) {
    try {
      door.release();
    } catch (IOException e) {
      throw failed(e);
    } finally {
      threads.unlock();
    }
  }

  private StoreException tooLong(String whom) {
    return new StoreException("%s held %s for %d s".formatted(whom, path, limit.toSeconds()));
  }

  private StoreException failed(@Nullable Throwable cause) {
    return new StoreException("the lock file " + path + " cannot be locked", orUnknown(cause));
  }

  private static Throwable orUnknown(@Nullable Throwable cause) {
    return cause == null ? new IOException("unknown") : cause;
  }

  private StoreException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new StoreException("interrupted while waiting for " + path, e);
  }
}
