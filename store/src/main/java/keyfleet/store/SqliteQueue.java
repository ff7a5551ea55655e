package keyfleet.store;

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
import org.jspecify.annotations.Nullable;

/// Where the writers of a database wait for their turn: threads in a fair lock, processes at two
/// bytes of a lock file. SQLite's own waiting is a lottery in which one process starves the rest.
///
/// A kernel lock alone would be one too, as whoever leaves may take it again before those who wait
/// have woken up. So there are two, a waiting room and a door: who leaves by the door goes to the
/// end, as the next one holds the room until it is through.
///
/// Only fairness rests on this. A writer that does not queue, or finds the lock file deleted, still
/// meets SQLite's own lock.
final class SqliteQueue implements AutoCloseable {
  /// For threads and processes each.
  static final Duration LIMIT = Duration.ofSeconds(10);

  /// The room and the door.
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

  /// The kernel lets nobody wait for a time, so another thread waits in our place. Made when first
  /// needed, by who holds `threads`.
  private @Nullable ExecutorService waiter;

  SqliteQueue(Path path, FileChannel channel, long room, Duration limit) {
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

  /// Nothing if another has it, or our own waiter, whom the last caller gave up on.
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

  /// The door may open at this very moment; then it is ours after all.
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
      // No virtual thread: the kernel's wait would hold a carrier.
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
    return new StoreException("%s kept %s for %d s".formatted(whom, path, limit.toSeconds()));
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
