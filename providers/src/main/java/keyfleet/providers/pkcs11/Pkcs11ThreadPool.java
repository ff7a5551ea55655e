package keyfleet.providers.pkcs11;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import keyfleet.crypto.KekUnavailableException;

/// The threads on which a module is called. A call into native code cannot be interrupted, and it
/// holds the carrier of a virtual thread: a token that hangs would take the caller with it, and
/// soon, carrier by carrier, every heartbeat. Here it takes one of these threads, and the caller
/// learns within `patience` that there is no answer.
final class Pkcs11ThreadPool implements AutoCloseable {
  /// Calls in flight, hence sessions in use.
  static final int LIMIT = 8;

  /// Calls that wait for a thread; more are turned away.
  static final int WAITING = 1024;

  static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Duration IDLE = Duration.ofSeconds(30);

  private final ThreadPoolExecutor threads;
  private final Duration patience;

  Pkcs11ThreadPool(Duration patience) {
    this.patience = patience;
    this.threads =
        new ThreadPoolExecutor(
            LIMIT,
            LIMIT,
            IDLE.toSeconds(),
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING),
            Thread.ofPlatform().daemon().name("keyfleet-pkcs11-", 1).factory());
    threads.allowCoreThreadTimeOut(true);
  }

  Duration patience() {
    return patience;
  }

  <T> T call(Callable<T> work) {
    Future<T> answer = submit(work);
    try {
      return answer.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException known ? known : new IllegalStateException(e);
    } catch (TimeoutException e) {
      answer.cancel(false);
      throw new KekUnavailableException(
          "the token did not answer within " + patience.toMillis() + " ms", e);
    } catch (InterruptedException e) {
      answer.cancel(false);
      Thread.currentThread().interrupt();
      throw new KekUnavailableException("interrupted while waiting for the token", e);
    }
  }

  private <T> Future<T> submit(Callable<T> work) {
    try {
      return threads.submit(work);
    } catch (RejectedExecutionException e) {
      throw new KekUnavailableException(
          "the token is closed, or over " + WAITING + " calls wait for it", e);
    }
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
