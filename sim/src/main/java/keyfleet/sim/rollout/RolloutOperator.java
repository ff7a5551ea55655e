package keyfleet.sim.rollout;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.control.Failpoints;
import keyfleet.control.rollout.NodeRegistry;
import keyfleet.control.rollout.RolloutOperationResult;
import keyfleet.control.rollout.RolloutOperations;
import keyfleet.rollout.controller.RolloutSpec;
import keyfleet.rollout.plan.NodeStatus;
import keyfleet.sim.fleet.PortUser;
import keyfleet.sim.host.HostLoop;
import keyfleet.sim.host.SimulatedHost;
import keyfleet.sim.host.VirtualTimeScheduler;
import keyfleet.store.Kv;
import keyfleet.store.StoreException;

/// A terminal from which somebody orders a rollout.
final class RolloutOperator {
  private static final long LOOK = 30 * VirtualTimeScheduler.SECOND;

  private final HostLoop loop;
  private final RolloutOperations orders;
  private final NodeRegistry register;
  private boolean started;
  private boolean again;

  RolloutOperator(SimulatedHost host, RolloutStores world) {
    this.loop = new HostLoop(host);
    Kv kv = world.kv(PortUser.OPERATOR, loop);
    this.orders = new RolloutOperations(host.name(), kv, world.nonces(host), Failpoints.NONE);
    this.register = new NodeRegistry(kv, Failpoints.NONE);
  }

  /// What somebody wants who outlives the terminal.
  interface SecondRolloutPlan {
    /// Whether there shall be a second rollout, now that the first has ended.
    boolean wantsMore();

    /// The second one, if it is not a retry: as it was planned first; nothing if nobody is left.
    Optional<RolloutSpec> second(List<NodeStatus> inventory);
  }

  /// Starts the rollout, and whenever it is found paused lets it go on.
  void ship(RolloutScenario shipment, SecondRolloutPlan wish) {
    loop.every(LOOK, () -> give(() -> started ? goOn(shipment, wish) : start(shipment.spec())));
  }

  private RolloutOperationResult goOn(RolloutScenario shipment, SecondRolloutPlan wish) {
    if (!wish.wantsMore()) {
      return orders.resume(shipment.spec().id());
    }
    if (again) {
      return orders.resume(RolloutScenario.RETRY);
    }
    RolloutOperationResult answer =
        shipment.hope() == RolloutScenario.SecondRollout.RETRIED
            ? orders.retry(shipment.spec().id(), RolloutScenario.RETRY)
            : repeat(wish);
    again = answer instanceof RolloutOperationResult.Done;
    return answer;
  }

  private RolloutOperationResult repeat(SecondRolloutPlan wish) {
    return wish.second(register.readInventory(WatchdogProcess.COMPONENT))
        .map(orders::start)
        .orElse(new RolloutOperationResult.NoSuchRollout());
  }

  private RolloutOperationResult start(RolloutSpec spec) {
    RolloutOperationResult answer = orders.start(spec);
    started = answer instanceof RolloutOperationResult.Done;
    return answer;
  }

  /// One order at a moment that was not chosen well.
  void meddle(long choice) {
    loop.run(() ->
        give(() ->
            switch ((int) (choice % 6)) {
              case 0, 1 -> orders.abort(RolloutScenario.ROLLOUT);
              case 2 -> orders.rollback(RolloutScenario.ROLLOUT);
              default -> orders.pause(RolloutScenario.ROLLOUT);
            }));
  }

  private void give(Supplier<RolloutOperationResult> order) {
    try {
      RolloutOperationResult answer = order.get();
      loop.host().note(() -> "is told " + answer.getClass().getSimpleName());
    } catch (StoreException e) {
      loop.host().note(() -> "cannot reach the store");
    }
  }
}
