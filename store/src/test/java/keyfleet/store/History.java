package keyfleet.store;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import keyfleet.store.Operation.Step;

/// The calls of several clients on one register, with the order in which they began and were
/// answered.
final class History {
  private final AtomicLong ticks = new AtomicLong();
  private final Collection<Operation> operations = new ConcurrentLinkedQueue<>();

  /// Marks the beginning of a call.
  long begin() {
    return ticks.incrementAndGet();
  }

  void answered(long began, Step step) {
    operations.add(new Operation(step, began, ticks.incrementAndGet()));
  }

  void unanswered(long began, Step step) {
    operations.add(new Operation(step, began, Operation.NEVER));
  }

  List<Operation> operations() {
    return List.copyOf(operations);
  }
}
