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
  private static final int MOST_WAITING = 2_000;

  /// What a fetch came to: a local KEK, or why there is none.
  sealed interface UnwrapResult {}

  record Unwrapped(LocalKek kek) implements UnwrapResult {}

  record UnwrapFailed(CallRefusal why) implements UnwrapResult {}

  private final Map<LocalKek.Id, List<Consumer<UnwrapResult>>> shared = new HashMap<>();
  private int waiting;

  /// `then` is called once, on another thread. Nothing, or why it never will be.
  Optional<CallRefusal> join(
      PendingCall ticket,
      LocalKek.Id name,
      Supplier<UnwrapResult> fetch,
      Consumer<UnwrapResult> then) {
    synchronized (this) {
      if (!board()) {
        return Optional.of(full());
      }
      List<Consumer<UnwrapResult>> others = shared.get(name);
      if (others != null) {
        others.add(then);
        return Optional.empty();
      }
      shared.put(name, new ArrayList<>(List.of(then)));
    }
    start(ticket, () -> land(name, CurrentSpan.during(ticket.span(), fetch)));
    return Optional.empty();
  }

  /// As [#join], for work that nobody shares.
  Optional<CallRefusal> alone(PendingCall ticket, Runnable work) {
    synchronized (this) {
      if (!board()) {
        return Optional.of(full());
      }
    }
    start(
        ticket,
        () -> {
          try {
            CurrentSpan.run(ticket.span(), work);
          } finally {
            leave(1);
          }
        });
    return Optional.empty();
  }

  private void land(LocalKek.Id name, UnwrapResult arrival) {
    @Nullable List<Consumer<UnwrapResult>> all;
    synchronized (this) {
      all = shared.remove(name);
    }
    if (all != null) {
      leave(all.size());
      all.forEach(it -> it.accept(arrival));
    }
  }

  private static void start(PendingCall ticket, Runnable work) {
    Thread _ =
        Thread.ofVirtual()
            .name("keyfleet-kms-call")
            .start(() -> RequestUid.runWith(ticket.uid(), work));
  }

  private boolean board() {
    if (waiting >= MOST_WAITING) {
      return false;
    }
    waiting++;
    return true;
  }

  private synchronized void leave(int calls) {
    waiting -= calls;
  }

  private static CallRefusal full() {
    return new CallRefusal(
        CallRefusal.Kind.SPENT, MOST_WAITING + " calls wait for the key's provider already");
  }
}
