package keyfleet.control;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;

/// A few threads of a worker: while one batch is written they read and move the next, so that a
/// rotation is as fast as its store, as long as the machine has a core to spare.
public final class ThreadCrew implements Crew, AutoCloseable {
  /// A rotation is not the only thing that a machine has to do.
  private static final int MOST = 4;

  /// While the last pieces of one are moved, the next has been read.
  private static final int AHEAD = 2;

  /// So many pieces for each thread, as none knows how long its piece takes.
  private static final int PIECES = 8;

  private final int threads = Math.min(MOST, Runtime.getRuntime().availableProcessors());

  /// They have work enough to be worth a thread each, and none of it waits.
  private final ExecutorService movers =
      Executors.newFixedThreadPool(
          threads, Thread.ofPlatform().daemon().name("keyfleet-mover-", 0).factory());

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
    return () -> asked(begun);
  }

  @Override
  public <T, R> List<R> each(List<T> items, Function<T, R> work) {
    int size = Math.max(1, Math.ceilDiv(items.size(), threads * PIECES));
    List<CompletableFuture<List<R>>> pieces = new ArrayList<>();
    for (int from = 0; from < items.size(); from += size) {
      List<T> piece = items.subList(from, Math.min(items.size(), from + size));
      pieces.add(CompletableFuture.supplyAsync(() -> piece.stream().map(work).toList(), movers));
    }
    List<R> all = new ArrayList<>(items.size());
    pieces.forEach(piece -> all.addAll(asked(piece)));
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
