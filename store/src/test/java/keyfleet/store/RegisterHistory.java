package keyfleet.store;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import keyfleet.store.RegisterOperation.Effect;

/// The calls of several clients on one register, with the order in which they began and were
/// answered.
final class RegisterHistory {
  private final AtomicLong ticks = new AtomicLong();
  private final Collection<RegisterOperation> operations = new ConcurrentLinkedQueue<>();

  /// Marks the beginning of a call.
  long begin() {
    return ticks.incrementAndGet();
  }

  void recordAnswered(long began, Effect effect) {
    operations.add(new RegisterOperation(effect, began, ticks.incrementAndGet()));
  }

  void recordUnanswered(long began, Effect effect) {
    operations.add(new RegisterOperation(effect, began, RegisterOperation.NEVER));
  }

  List<RegisterOperation> operations() {
    return List.copyOf(operations);
  }
}
