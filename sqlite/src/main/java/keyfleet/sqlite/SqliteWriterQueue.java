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
/// The kernel's check for deadlocks knows processes, not threads. It refuses to wait when this
/// process holds the write byte of one database and waits for that of the other, while another
/// process does the reverse, although different threads do so. Each holder releases its byte
/// without waiting for another one, so there is no deadlock: the waiter asks again.
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

  private static final Duration RETRY_PAUSE = Duration.ofMillis(1);

  private final Path path;
  private final FileChannel channel;
  private final long waitingByte;
  private final Duration limit;
  private final ReentrantLock threadLock = new ReentrantLock(true);

  /// The kernel's lock call has no timeout, so this thread makes it for the caller. Created on
  /// first use, by a thread that holds [#threadLock].
  private @Nullable ExecutorService kernelWaiter;

  SqliteWriterQueue(Path path, FileChannel channel, long waitingByte, Duration limit) {
    this.path = path;
    this.channel = channel;
    this.waitingByte = waitingByte;
    this.limit = limit;
  }

  Turn awaitTurn() {
    awaitThreadLock();
    try {
      FileLock writeLock = acquireWriteLock();
      return () -> endTurn(writeLock);
    } catch (RuntimeException e) {
      threadLock.unlock();
      throw e;
    }
  }

  @Override
  public void close() {
    threadLock.lock();
    try {
      if (kernelWaiter != null) {
        kernelWaiter.shutdownNow();
      }
    } finally {
      threadLock.unlock();
    }
  }

  private void awaitThreadLock() {
    try {
      if (!threadLock.tryLock(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        throw tooLong("threads of this process");
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private FileLock acquireWriteLock() {
    try {
      @Nullable FileLock waitingLock = tryLock(waitingByte);
      @Nullable FileLock writeLock = waitingLock == null ? null : tryLock(waitingByte + 1);
      if (waitingLock == null || writeLock == null) {
        return awaitWriteLock(waitingLock);
      }
      waitingLock.release();
      return writeLock;
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /// Null if another process has the lock, or this process's own waiter after its caller gave up.
  private @Nullable FileLock tryLock(long at) throws IOException {
    try {
      return channel.tryLock(at, 1, false);
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  private FileLock awaitWriteLock(@Nullable FileLock waitingLock) {
    CompletableFuture<FileLock> granted = new CompletableFuture<>();
    kernelWaiter().execute(() -> waitInKernel(granted, waitingLock));
    try {
      return granted.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return giveUp(granted, tooLong("other processes"));
    } catch (InterruptedException e) {
      return giveUp(granted, interrupted(e));
    } catch (ExecutionException e) {
      throw failed(e.getCause());
    }
  }

  /// The lock may be granted at this very moment; then the caller gets it after all.
  private static FileLock giveUp(CompletableFuture<FileLock> granted, StoreException why) {
    if (granted.completeExceptionally(why)) {
      throw why;
    }
    return granted.join();
  }

  private void waitInKernel(CompletableFuture<FileLock> granted, @Nullable FileLock waitingLock) {
    try (FileLock _ = waitingLock == null ? lock(waitingByte, granted) : waitingLock) {
      FileLock writeLock = lock(waitingByte + 1, granted);
      if (!granted.complete(writeLock)) {
        writeLock.release();
      }
    } catch (IOException | OverlappingFileLockException e) {
      granted.completeExceptionally(e);
    }
  }

  /// Asks again after a refusal to wait. An attempt that does not wait tells such a refusal from a
  /// lock file that cannot be locked at all: then it fails too.
  private FileLock lock(long at, CompletableFuture<FileLock> granted) throws IOException {
    while (true) {
      try {
        return channel.lock(at, 1, false);
      } catch (IOException e) {
        @Nullable FileLock lock = tryLock(at);
        if (lock != null) {
          return lock;
        }
        if (isGivenUpWithin(RETRY_PAUSE, granted)) {
          throw e;
        }
      }
    }
  }

  private static boolean isGivenUpWithin(Duration pause, CompletableFuture<FileLock> granted) {
    try {
      granted.get(pause.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private ExecutorService kernelWaiter() {
    if (kernelWaiter == null) {
      // A platform thread, because waiting in the kernel would block a carrier thread.
      kernelWaiter =
          Executors.newSingleThreadExecutor(
              Thread.ofPlatform().daemon().name("keyfleet-sqlite-queue").factory());
    }
    return kernelWaiter;
  }

  private void endTurn(FileLock writeLock) {
    try {
      writeLock.release();
    } catch (IOException e) {
      throw failed(e);
    } finally {
      threadLock.unlock();
    }
  }

  private StoreException tooLong(String holders) {
    return new StoreException("%s held %s for %d s".formatted(holders, path, limit.toSeconds()));
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
