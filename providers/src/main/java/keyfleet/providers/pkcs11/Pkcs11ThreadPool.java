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

/// The threads that call a module. A call into native code cannot be interrupted, and it holds the
/// carrier of a virtual thread: a token that hangs would block its caller and soon, carrier by
/// carrier, every heartbeat. Here it blocks one of these threads, and the caller fails after
/// `callTimeout`.
final class Pkcs11ThreadPool implements AutoCloseable {
  /// Calls in flight, and so sessions in use.
  static final int MAX_THREADS = 8;

  /// Calls that wait for a thread; further calls are refused.
  static final int MAX_WAITING_CALLS = 1024;

  static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

  private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(30);

  private final ThreadPoolExecutor threads;
  private final Duration callTimeout;

  Pkcs11ThreadPool(Duration callTimeout) {
    this.callTimeout = callTimeout;
    this.threads =
        new ThreadPoolExecutor(
            MAX_THREADS,
            MAX_THREADS,
            IDLE_TIMEOUT.toSeconds(),
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING_CALLS),
            Thread.ofPlatform().daemon().name("keyfleet-pkcs11-", 1).factory());
    threads.allowCoreThreadTimeOut(true);
  }

  Duration callTimeout() {
    return callTimeout;
  }

  <T> T call(Callable<T> work) {
    Future<T> answer = submit(work);
    try {
      return answer.get(callTimeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException known ? known : new IllegalStateException(e);
    } catch (TimeoutException e) {
      answer.cancel(false);
      throw new KekUnavailableException(
          "the token did not answer within " + callTimeout.toMillis() + " ms", e);
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
          "the token is closed, or over " + MAX_WAITING_CALLS + " calls wait for it", e);
    }
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
