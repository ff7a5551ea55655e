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
import keyfleet.kms.tracing.CurrentSpan;
import keyfleet.kms.tracing.TraceSpan;

/// Calls to where the KEKs live, which may take long, and of which few may be under way at a time.
/// What does not answer is a [KekUnavailableException].
public final class RemoteKekClient {
  private static final int MAX_CONCURRENT = 16;

  /// For a call to get its turn.
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
    long began = nanos.getAsLong();
    TraceSpan span = CurrentSpan.get().startChild(which.stage());
    boolean answered = false;
    try {
      T answer = CurrentSpan.callIn(span, call);
      answered = true;
      return answer;
    } finally {
      slots.release();
      metrics.recordRemoteCall(which, answered, nanos.getAsLong() - began);
      span.end((answered ? Status.Code.OK : Status.Code.UNAVAILABLE).value());
    }
  }

  private void acquireSlot() {
    try {
      if (!slots.tryAcquire(QUEUE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new KekUnavailableException(
            MAX_CONCURRENT + " calls to the key's provider are under way, and none ended in time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KekUnavailableException("the plugin stops", e);
    }
  }

  /// `work` that calls the remote, for who must not wait for ever. It may go on after that; what it
  /// comes to is then nobody's.
  public static <T> T callWithin(Duration limit, Supplier<T> work) {
    FutureTask<T> task = new FutureTask<>(work::get);
    Thread.ofVirtual().name("keyfleet-remote").start(task);
    try {
      return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new KekUnavailableException(
          "the key's provider did not answer within " + limit.toSeconds() + " s", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KekUnavailableException("the plugin stops", e);
    }
  }
}
