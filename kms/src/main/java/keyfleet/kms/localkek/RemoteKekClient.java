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
  private static final int MOST_AT_A_TIME = 16;

  /// For a call to get its turn.
  private static final Duration LONGEST_QUEUE = Duration.ofSeconds(5);

  private final Semaphore turns = new Semaphore(MOST_AT_A_TIME);
  private final PluginMetrics metrics;
  private final LongSupplier nanos;

  public RemoteKekClient(PluginMetrics metrics, LongSupplier nanos) {
    this.metrics = metrics;
    this.nanos = nanos;
  }

  byte[] wrap(Kek kek, Dek dek, byte[] aad) {
    return called(() -> kek.wrap(dek, aad), PluginMetrics.RemoteCall.WRAP);
  }

  Optional<Dek> unwrap(Kek kek, byte[] wrapped, byte[] aad) {
    return called(() -> kek.unwrap(wrapped, aad), PluginMetrics.RemoteCall.UNWRAP);
  }

  private <T> T called(Supplier<T> call, PluginMetrics.RemoteCall which) {
    takeTurn();
    long began = nanos.getAsLong();
    TraceSpan span = CurrentSpan.get().child(which.stage());
    boolean answered = false;
    try {
      T answer = CurrentSpan.during(span, call);
      answered = true;
      return answer;
    } finally {
      turns.release();
      metrics.remote(which, answered, nanos.getAsLong() - began);
      span.end((answered ? Status.Code.OK : Status.Code.UNAVAILABLE).value());
    }
  }

  private void takeTurn() {
    try {
      if (!turns.tryAcquire(LONGEST_QUEUE.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new KekUnavailableException(
            MOST_AT_A_TIME + " calls to the key's provider are under way, and none ended in time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KekUnavailableException("the plugin stops", e);
    }
  }

  /// `work` that calls the remote, for who must not wait for ever. It may go on after that; what it
  /// comes to is then nobody's.
  public static <T> T within(Duration limit, Supplier<T> work) {
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
