package keyfleet.kms.grpc;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import keyfleet.kms.localkek.LocalKek;
import keyfleet.kms.state.CallRefusal;
import keyfleet.kms.tracing.CurrentSpan;
import keyfleet.providers.RequestUid;
import org.jspecify.annotations.Nullable;

/// Runs the calls that have to wait for the remote on virtual threads. Calls that need the same
/// local KEK share one call to the remote, which carries the UID and the span of the first. Safe
/// for any number of threads.
final class UnwrapCoalescer {
  /// Calls that may wait at a time. Further ones are refused.
  private static final int MAX_WAITING = 2_000;

  /// The result of unwrapping a local KEK.
  sealed interface UnwrapResult {}

  record Unwrapped(LocalKek kek) implements UnwrapResult {}

  record UnwrapFailed(CallRefusal refusal) implements UnwrapResult {}

  private final Map<LocalKek.Id, List<Consumer<UnwrapResult>>> waitingByKek = new HashMap<>();
  private int waiting;

  /// Calls `fetch` unless another call is fetching the same local KEK, then calls `then` once on
  /// another thread. Returns a refusal if too many calls wait; `then` is then never called.
  Optional<CallRefusal> unwrapShared(
      PendingCall call, LocalKek.Id id, Supplier<UnwrapResult> fetch, Consumer<UnwrapResult> then) {
    synchronized (this) {
      if (!tryEnter()) {
        return Optional.of(tooManyWaiting());
      }
      List<Consumer<UnwrapResult>> others = waitingByKek.get(id);
      if (others != null) {
        others.add(then);
        return Optional.empty();
      }
      waitingByKek.put(id, new ArrayList<>(List.of(then)));
    }
    start(call, () -> deliver(id, CurrentSpan.callIn(call.span(), fetch)));
    return Optional.empty();
  }

  /// As [#unwrapShared], for work of a single call.
  Optional<CallRefusal> runUnshared(PendingCall call, Runnable work) {
    synchronized (this) {
      if (!tryEnter()) {
        return Optional.of(tooManyWaiting());
      }
    }
    start(
        call,
        () -> {
          try {
            CurrentSpan.runIn(call.span(), work);
          } finally {
            exit(1);
          }
        });
    return Optional.empty();
  }

  private void deliver(LocalKek.Id id, UnwrapResult result) {
    @Nullable List<Consumer<UnwrapResult>> all;
    synchronized (this) {
      all = waitingByKek.remove(id);
    }
    if (all != null) {
      exit(all.size());
      all.forEach(it -> it.accept(result));
    }
  }

  private static void start(PendingCall call, Runnable work) {
    Thread _ =
        Thread.ofVirtual()
            .name("keyfleet-kms-call")
            .start(() -> RequestUid.runWith(call.uid(), work));
  }

  private boolean tryEnter() {
    if (waiting >= MAX_WAITING) {
      return false;
    }
    waiting++;
    return true;
  }

  private synchronized void exit(int calls) {
    waiting -= calls;
  }

  private static CallRefusal tooManyWaiting() {
    return new CallRefusal(
        CallRefusal.Kind.LIMIT_REACHED, MAX_WAITING + " calls already wait for the key provider");
  }
}
