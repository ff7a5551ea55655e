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
  private static final int MOST = 4;

  /// While the last pieces of one are moved, the next has been read.
  private static final int AHEAD = 2;

  /// So many pieces for each thread, as none knows how long its piece takes.
  private static final int PIECES = 8;

  /// How long the driver looks for a piece to move before it asks whether all are moved.
  private static final long LOOK_MILLIS = 2;

  private final int threads = Math.clamp(Runtime.getRuntime().availableProcessors() - 1, 1, MOST);

  private final BlockingQueue<Runnable> pieces = new LinkedBlockingQueue<>();

  /// They have work enough to be worth a thread each, and none of it waits.
  private final ExecutorService movers =
      new ThreadPoolExecutor(
          threads,
          threads,
          0,
          TimeUnit.SECONDS,
          pieces,
          Thread.ofPlatform().daemon().name("keyfleet-mover-", 0).factory());

  /// It waits for the store, and for the movers.
  private final ExecutorService readers =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("keyfleet-reader-", 0).factory());

  @Override
  public int ahead() {
    return AHEAD;
  }

  @Override
  public <T> Supplier<T> begin(Supplier<T> work) {
    CompletableFuture<T> begun = CompletableFuture.supplyAsync(work, readers);
    return () -> {
      if (!Thread.currentThread().isVirtual()) { // the driver: readers have others to wait for
        moveUntil(begun);
      }
      return asked(begun);
    };
  }

  private void moveUntil(CompletableFuture<?> begun) {
    try {
      while (!begun.isDone()) {
        Runnable piece = pieces.poll(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        if (piece != null) {
          piece.run();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public <T, R> List<R> each(List<T> items, Function<T, R> work) {
    int size = Math.max(1, Math.ceilDiv(items.size(), threads * PIECES));
    List<CompletableFuture<List<R>>> parts = new ArrayList<>();
    for (int from = 0; from < items.size(); from += size) {
      List<T> part = items.subList(from, Math.min(items.size(), from + size));
      parts.add(CompletableFuture.supplyAsync(() -> part.stream().map(work).toList(), movers));
    }
    List<R> all = new ArrayList<>(items.size());
    parts.forEach(part -> all.addAll(asked(part)));
    return all;
  }

  /// What the driver catches is what was thrown, not that a thread failed.
  private static <T> T asked(CompletableFuture<T> begun) {
    try {
      return begun.join();
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
    readers.shutdownNow();
    movers.shutdownNow();
  }
}
