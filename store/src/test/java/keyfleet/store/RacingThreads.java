package keyfleet.store;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/// Threads that start at the same moment, in each of several rounds.
public final class RacingThreads implements AutoCloseable {
  private static final int ROUND_SECONDS = 60;

  private final int count;
  private final CyclicBarrier start;
  private final ExecutorService threads;

  public RacingThreads(int count) {
    this.count = count;
    this.start = new CyclicBarrier(count);
    this.threads = Executors.newFixedThreadPool(count);
  }

  /// The results of all threads, in order. Rethrows the first failed assertion unchanged.
  public <T> List<T> race(IntFunction<T> racer) {
    List<Callable<T>> runs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = i;
      runs.add(() -> {
        start.await(ROUND_SECONDS, TimeUnit.SECONDS);
        return racer.apply(number);
      });
    }
    return runAll(runs);
  }

  private <T> List<T> runAll(List<Callable<T>> runs) {
    List<T> results = new ArrayList<>();
    try {
      for (Future<T> run : threads.invokeAll(runs, ROUND_SECONDS, TimeUnit.SECONDS)) {
        results.add(run.get());
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AssertionError failed) {
        throw failed;
      }
      throw new IllegalStateException("a thread failed", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the threads ran", e);
    }
    return results;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
