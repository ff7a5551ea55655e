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

/// A few threads of a worker: while one batch is written they read and move the next, so that a
/// rotation is as fast as its store, as long as the machine has a core to spare. The driver, which
/// writes, lends a hand when it has to wait for them: so there are as many threads at work as there
/// are cores, and none takes the driver's.
public final class ThreadPoolBatchExecutor implements BatchExecutor, AutoCloseable {
  /// A rotation is not the only thing that a machine has to do.
  private static final int MAX_THREADS = 4;

  /// While the last pieces of one are moved, the next has been read.
  private static final int BATCHES_AHEAD = 2;

  /// So many pieces for each thread, as none knows how long its piece takes.
  private static final int TASKS_PER_THREAD = 8;

  /// How long the driver looks for a piece to move before it asks whether all are moved.
  private static final long POLL_MILLIS = 2;

  private final int threads =
      Math.clamp(Runtime.getRuntime().availableProcessors() - 1, 1, MAX_THREADS);

  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

  /// They have work enough to be worth a thread each, and none of it waits.
  private final ExecutorService rewrapPool =
      new ThreadPoolExecutor(
          threads,
          threads,
          0,
          TimeUnit.SECONDS,
          tasks,
          Thread.ofPlatform().daemon().name("keyfleet-mover-", 0).factory());

  /// It waits for the store, and for the movers.
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
      if (!Thread.currentThread().isVirtual()) { // the driver: readers have others to wait for
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

  /// What the driver catches is what was thrown, not that a thread failed.
  private static <T> T join(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }

  /// What was begun is given up.
  @Override
  public void close() {
    readPool.shutdownNow();
    rewrapPool.shutdownNow();
  }
}
