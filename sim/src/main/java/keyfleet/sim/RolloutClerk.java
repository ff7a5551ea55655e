package keyfleet.sim;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import keyfleet.control.Failpoints;
import keyfleet.control.Ordering;
import keyfleet.control.RolloutOrders;
import keyfleet.rollout.RolloutSpec;
import keyfleet.store.StoreException;

/// A terminal from which somebody orders a rollout.
final class RolloutClerk {
  private static final long LOOK = 30 * Timeline.SECOND;

  private final Loop loop;
  private final RolloutOrders orders;
  private boolean started;
  private boolean retried;

  RolloutClerk(Host host, NodeWorld world) {
    this.loop = new Loop(host);
    this.orders =
        new RolloutOrders(
            host.name(), world.kv(Part.OPERATOR, loop), world.nonces(host), Failpoints.NONE);
  }

  /// Starts the rollout, and whenever it is found paused lets it go on. Once it has ended, it is
  /// retried if somebody wants that.
  void ship(RolloutSpec spec, BooleanSupplier wantsRetry) {
    loop.every(LOOK, () -> give(() -> started ? goOn(spec, wantsRetry) : start(spec)));
  }

  private Ordering goOn(RolloutSpec spec, BooleanSupplier wantsRetry) {
    if (!wantsRetry.getAsBoolean()) {
      return orders.resume(spec.id());
    }
    if (!retried) {
      Ordering answer = orders.retry(spec.id(), Shipment.RETRY);
      retried = answer instanceof Ordering.Done;
      return answer;
    }
    return orders.resume(Shipment.RETRY);
  }

  private Ordering start(RolloutSpec spec) {
    Ordering answer = orders.start(spec);
    started = answer instanceof Ordering.Done;
    return answer;
  }

  /// One order at a moment that was not chosen well.
  void meddle(long choice) {
    loop.run(() ->
        give(() ->
            switch ((int) (choice % 6)) {
              case 0, 1 -> orders.abort(Shipment.ROLLOUT);
              case 2 -> orders.rollback(Shipment.ROLLOUT);
              default -> orders.pause(Shipment.ROLLOUT);
            }));
  }

  private void give(Supplier<Ordering> order) {
    try {
      Ordering answer = order.get();
      loop.host().note(() -> "is told " + answer.getClass().getSimpleName());
    } catch (StoreException e) {
      loop.host().note(() -> "cannot reach the store");
    }
  }
}
