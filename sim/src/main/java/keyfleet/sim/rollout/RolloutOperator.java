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

/// An operator at a terminal who orders rollouts.
final class RolloutOperator {
  private static final long PERIOD = 30 * VirtualTimeScheduler.SECOND;

  private final HostLoop loop;
  private final RolloutOperations orders;
  private final NodeRegistry registry;
  private boolean started;
  private boolean secondStarted;

  RolloutOperator(SimulatedHost host, RolloutStores stores) {
    this.loop = new HostLoop(host);
    Kv kv = stores.kv(PortUser.OPERATOR, loop);
    this.orders = new RolloutOperations(host.name(), kv, stores.nonces(host), Failpoints.NONE);
    this.registry = new NodeRegistry(kv, Failpoints.NONE);
  }

  /// Decides about the second rollout; it outlives the terminal's process.
  interface SecondRolloutPlan {
    /// Returns whether a second rollout is wanted after the first has ended, and prepares for it.
    boolean prepareIfWanted();

    /// The second rollout if it is not a retry; always the same plan. Empty if no node can take
    /// part.
    Optional<RolloutSpec> spec(List<NodeStatus> inventory);
  }

  /// Starts the rollout, and resumes it when it is paused.
  void runScenario(RolloutScenario scenario, SecondRolloutPlan plan) {
    loop.runEvery(
        PERIOD,
        () -> giveOrder(() -> started ? continueScenario(scenario, plan) : start(scenario.spec())));
  }

  private RolloutOperationResult continueScenario(
      RolloutScenario scenario, SecondRolloutPlan plan) {
    if (!plan.prepareIfWanted()) {
      return orders.resume(scenario.spec().id());
    }
    if (secondStarted) {
      return orders.resume(RolloutScenario.SECOND_ROLLOUT);
    }
    RolloutOperationResult answer =
        scenario.secondRollout() == RolloutScenario.SecondRollout.RETRIED
            ? orders.retry(scenario.spec().id(), RolloutScenario.SECOND_ROLLOUT)
            : repeat(plan);
    secondStarted = answer instanceof RolloutOperationResult.Done;
    return answer;
  }

  private RolloutOperationResult repeat(SecondRolloutPlan plan) {
    return plan.spec(registry.readInventory(WatchdogProcess.COMPONENT))
        .map(orders::start)
        .orElse(new RolloutOperationResult.NoSuchRollout());
  }

  private RolloutOperationResult start(RolloutSpec spec) {
    RolloutOperationResult answer = orders.start(spec);
    started = answer instanceof RolloutOperationResult.Done;
    return answer;
  }

  /// Gives one order at a random moment.
  void giveDisruptiveOrder(long choice) {
    loop.run(() ->
        giveOrder(() ->
            switch ((int) (choice % 6)) {
              case 0, 1 -> orders.abort(RolloutScenario.ROLLOUT);
              case 2 -> orders.rollback(RolloutScenario.ROLLOUT);
              default -> orders.pause(RolloutScenario.ROLLOUT);
            }));
  }

  private void giveOrder(Supplier<RolloutOperationResult> order) {
    try {
      RolloutOperationResult answer = order.get();
      loop.host().note(() -> "gets the answer " + answer.getClass().getSimpleName());
    } catch (StoreException e) {
      loop.host().note(() -> "cannot reach the store");
    }
  }
}
