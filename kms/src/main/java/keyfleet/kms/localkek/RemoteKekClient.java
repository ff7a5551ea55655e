package keyfleet.kms.localkek;

import io.grpc.Status;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import keyfleet.crypto.Dek;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.kms.PluginMetrics;
import keyfleet.kms.PluginMetrics.RemoteOutcome;
import keyfleet.kms.tracing.CurrentSpan;
import keyfleet.kms.tracing.TraceSpan;

/// Calls the provider of a KEK. Calls may take long, so only a few run at a time. If the provider
/// does not answer, the call throws [KekUnavailableException].
public final class RemoteKekClient {
  private static final int MAX_CONCURRENT = 16;

  /// The longest that a call waits for a slot.
  private static final Duration QUEUE_TIMEOUT = Duration.ofSeconds(5);

  private final Semaphore slots = new Semaphore(MAX_CONCURRENT);
  private final PluginMetrics metrics;
  private final LongSupplier nanos;

  public RemoteKekClient(PluginMetrics metrics, LongSupplier nanos) {
    this.metrics = metrics;
    this.nanos = nanos;
  }

  byte[] wrap(Kek kek, Dek dek, byte[] aad) {
    return call(() -> kek.wrap(dek, aad), PluginMetrics.RemoteCall.WRAP);
  }

  Optional<Dek> unwrap(Kek kek, byte[] wrapped, byte[] aad) {
    return call(() -> kek.unwrap(wrapped, aad), PluginMetrics.RemoteCall.UNWRAP);
  }

  private <T> T call(Supplier<T> call, PluginMetrics.RemoteCall which) {
    acquireSlot();
    long startNanos = nanos.getAsLong();
    TraceSpan span = CurrentSpan.get().startChild(which.stage());
    RemoteOutcome outcome = RemoteOutcome.FAILED;
    try {
      T answer = CurrentSpan.callIn(span, call);
      outcome = RemoteOutcome.ANSWERED;
      return answer;
    } finally {
      slots.release();
      metrics.recordRemoteCall(which, outcome, nanos.getAsLong() - startNanos);
      span.end(
          (outcome == RemoteOutcome.ANSWERED ? Status.Code.OK : Status.Code.UNAVAILABLE).value());
    }
  }

  private void acquireSlot() {
    try {
      if (!slots.tryAcquire(QUEUE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new KekUnavailableException(
            MAX_CONCURRENT + " calls to the key provider are running, and none ended in time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KekUnavailableException("the plugin is stopping", e);
    }
  }

  /// Runs `work`, which calls the remote, with a time limit. After the limit the work may still
  /// run, but its result is dropped.
  public static <T> T callWithin(Duration limit, Supplier<T> work) {
    FutureTask<T> task = new FutureTask<>(work::get);
    Thread.ofVirtual().name("keyfleet-remote").start(task);
    try {
      return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new KekUnavailableException(
          "the key provider did not answer within " + limit.toSeconds() + " s", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KekUnavailableException("the plugin is stopping", e);
    }
  }
}
