package keyfleet.control.rewrap;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/// A few threads that read and rewrap the next batches while the driver writes one. With a free
/// core, only the store limits the speed of the rotation. A driver that must wait for the threads
/// runs their tasks itself, so as many threads work as there are cores, and none of them competes
/// with the driver.
public final class ThreadPoolBatchExecutor implements BatchExecutor, AutoCloseable {
  /// A limit, because the machine has other work than a rotation.
  private static final int MAX_THREADS = 4;

  /// Two, so that the next batch is read before the last tasks of one are finished.
  private static final int BATCHES_AHEAD = 2;

  /// Several tasks for each thread, because tasks take different times.
  private static final int TASKS_PER_THREAD = 8;

  /// How long the driver waits for a task before it checks whether the result is there.
  private static final long POLL_MILLIS = 2;

  private final int threads =
      Math.clamp(Runtime.getRuntime().availableProcessors() - 1, 1, MAX_THREADS);

  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

  /// Platform threads: the work is pure computation.
  private final ExecutorService rewrapPool =
      new ThreadPoolExecutor(
          threads,
          threads,
          0,
          TimeUnit.SECONDS,
          tasks,
          Thread.ofPlatform().daemon().name("keyfleet-rewrap-", 0).factory());

  /// Virtual threads: the work waits for the store and for the other pool.
  private final ExecutorService readPool =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("keyfleet-reader-", 0).factory());

  @Override
  public int batchesAhead() {
    return BATCHES_AHEAD;
  }

  @Override
  public <T> Supplier<T> start(Supplier<T> work) {
    CompletableFuture<T> future = CompletableFuture.supplyAsync(work, readPool);
    return () -> {
      if (!Thread.currentThread().isVirtual()) { // the driver; a virtual thread only waits
        runTasksUntilDone(future);
      }
      return join(future);
    };
  }

  private void runTasksUntilDone(CompletableFuture<?> future) {
    try {
      while (!future.isDone()) {
        Runnable task = tasks.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
        if (task != null) {
          task.run();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public <T, R> List<R> mapAll(List<T> items, Function<T, R> work) {
    int size = Math.max(1, Math.ceilDiv(items.size(), threads * TASKS_PER_THREAD));
    List<CompletableFuture<List<R>>> parts = new ArrayList<>();
    for (int from = 0; from < items.size(); from += size) {
      List<T> part = items.subList(from, Math.min(items.size(), from + size));
      parts.add(CompletableFuture.supplyAsync(() -> part.stream().map(work).toList(), rewrapPool));
    }
    List<R> all = new ArrayList<>(items.size());
    parts.forEach(part -> all.addAll(join(part)));
    return all;
  }

  /// The driver gets the exception that the work threw, without the wrapper of the pool.
  private static <T> T join(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      if (e.getCause() instanceof Error cause) {
        throw cause;
      }
      throw e;
    }
  }

  /// Drops work that is not finished.
  @Override
  public void close() {
    readPool.shutdownNow();
    rewrapPool.shutdownNow();
  }
}
