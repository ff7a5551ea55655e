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

/// Runs the calls that have to wait for the remote on virtual threads. Calls that need the same
/// local KEK share one call to the remote, which carries the UID and the span of the first. Every
/// call that waits gets an answer, whatever is thrown. Safe for any number of threads.
final class UnwrapCoalescer {
  /// Calls that may wait at a time. Further ones are refused.
  private static final int MAX_WAITING = 2_000;

  private static final CallRefusal TOO_MANY_WAITING =
      new CallRefusal(
          CallRefusal.Kind.LIMIT_REACHED, MAX_WAITING + " calls already wait for the key provider");

  /// The first of the calls that share an unwrap failed unexpectedly, and was answered so.
  private static final CallRefusal SHARED_FAILURE =
      CallRefusal.unavailable(
          "the key could not be unwrapped for a call that came first; try again");

  /// The result of unwrapping a local KEK.
  sealed interface UnwrapResult {}

  record Unwrapped(LocalKek kek) implements UnwrapResult {}

  record UnwrapFailed(CallRefusal refusal) implements UnwrapResult {}

  private record WaitingCall(CallReply<?> reply, Consumer<UnwrapResult> then) {}

  private final Map<LocalKek.Id, List<WaitingCall>> waitingByKek = new HashMap<>();
  private int waiting;

  /// Calls `fetch` unless another call is fetching the same local KEK, then calls `then` once on
  /// another thread. Returns a refusal if too many calls wait; `then` is then never called.
  Optional<CallRefusal> unwrapShared(
      CallReply<?> reply,
      LocalKek.Id id,
      Supplier<UnwrapResult> fetch,
      Consumer<UnwrapResult> then) {
    synchronized (this) {
      if (!tryEnter()) {
        return Optional.of(TOO_MANY_WAITING);
      }
      List<WaitingCall> others = waitingByKek.get(id);
      if (others != null) {
        others.add(new WaitingCall(reply, then));
        return Optional.empty();
      }
      waitingByKek.put(id, new ArrayList<>(List.of(new WaitingCall(reply, then))));
    }
    start(reply.pendingCall(), () -> fetchAndDeliver(reply, id, fetch));
    return Optional.empty();
  }

  /// As [#unwrapShared], for work of a single call.
  Optional<CallRefusal> runUnshared(CallReply<?> reply, Runnable work) {
    synchronized (this) {
      if (!tryEnter()) {
        return Optional.of(TOO_MANY_WAITING);
      }
    }
    PendingCall call = reply.pendingCall();
    start(
        call,
        () -> {
          try {
            reply.run(() -> CurrentSpan.runIn(call.span(), work));
          } finally {
            exit(1);
          }
        });
    return Optional.empty();
  }

  private void fetchAndDeliver(CallReply<?> first, LocalKek.Id id, Supplier<UnwrapResult> fetch) {
    UnwrapResult[] result = {new UnwrapFailed(SHARED_FAILURE)};
    first.run(() -> result[0] = CurrentSpan.callIn(first.pendingCall().span(), fetch));
    List<WaitingCall> all;
    synchronized (this) {
      all = waitingByKek.getOrDefault(id, List.of());
      waitingByKek.remove(id);
      waiting -= all.size();
    }
    all.forEach(call -> call.reply().run(() -> call.then().accept(result[0])));
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
}
