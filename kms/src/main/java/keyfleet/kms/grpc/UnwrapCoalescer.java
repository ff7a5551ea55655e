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

/// Calls that wait for the remote, off the event loop. Those that wait for the same local KEK share
/// one call to it, which goes out under the UID and the span of the first. For any thread.
public final class UnwrapCoalescer {
  /// Calls that may wait at a time, before further ones are refused.
  private static final int MAX_WAITING = 2_000;

  /// What a fetch came to: a local KEK, or why there is none.
  sealed interface UnwrapResult {}

  record Unwrapped(LocalKek kek) implements UnwrapResult {}

  record UnwrapFailed(CallRefusal refusal) implements UnwrapResult {}

  private final Map<LocalKek.Id, List<Consumer<UnwrapResult>>> waitingByKek = new HashMap<>();
  private int waiting;

  /// `then` is called once, on another thread. Nothing, or why it never will be.
  Optional<CallRefusal> unwrapShared(
      PendingCall pendingCall,
      LocalKek.Id id,
      Supplier<UnwrapResult> fetch,
      Consumer<UnwrapResult> then) {
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
    start(pendingCall, () -> deliver(id, CurrentSpan.callIn(pendingCall.span(), fetch)));
    return Optional.empty();
  }

  /// As [#unwrapShared], for work that nobody shares.
  Optional<CallRefusal> runUnshared(PendingCall pendingCall, Runnable work) {
    synchronized (this) {
      if (!tryEnter()) {
        return Optional.of(tooManyWaiting());
      }
    }
    start(
        pendingCall,
        () -> {
          try {
            CurrentSpan.runIn(pendingCall.span(), work);
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

  private static void start(PendingCall pendingCall, Runnable work) {
    Thread _ =
        Thread.ofVirtual()
            .name("keyfleet-kms-call")
            .start(() -> RequestUid.runWith(pendingCall.uid(), work));
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
        CallRefusal.Kind.LIMIT_REACHED, MAX_WAITING + " calls wait for the key's provider already");
  }
}
