package keyfleet.sim;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.controller.Assignment;
import keyfleet.rollout.controller.Rollout;
import keyfleet.sim.Explorer.Step;
import keyfleet.sim.RolloutWorld.Driver;
import org.jspecify.annotations.Nullable;

/// What one driver can do in a world: claim, look and decide, write what it decided, abort.
final class DriverSteps {
  private final RolloutWorld world;
  private final int index;
  private final Driver driver;

  DriverSteps(RolloutWorld world, int index) {
    this.world = world;
    this.index = index;
    this.driver = world.drivers().get(index);
  }

  void addTo(List<Step<RolloutWorld>> steps) {
    if (!world.isOver()) {
      addClaims(steps);
      addDecision(steps);
    }
    addRollback(steps);
    addWrites(steps);
  }

  /// One that nothing calls for is a trouble: the driver before seemed to be silent.
  private void addClaims(List<Step<RolloutWorld>> steps) {
    DriverClaim lead = world.nextLead();
    if (Rollout.wantsLead(world.control())) {
      steps.add(step(() -> "claims " + lead.epoch(), world.claimedBy(index, lead)));
    } else if (world.troubles() > 0 && !leads()) {
      steps.add(
          step(() -> "takes over as " + lead.epoch(), world.troubled().claimedBy(index, lead)));
    }
    if (world.aborts() > 0) {
      steps.add(step(() -> "aborts as " + lead.epoch(), world.abortedBy(index, lead)));
    }
  }

  private void addRollback(List<Step<RolloutWorld>> steps) {
    if (world.rollbacks() > 0 && !(world.control() instanceof Rollout.RolledBack)) {
      DriverClaim lead = world.nextLead();
      steps.add(step(() -> "rolls back as " + lead.epoch(), world.rolledBackBy(index, lead)));
    }
  }

  private boolean leads() {
    return driver.lead().equals(world.control().run().lead()) && driver.lead().epoch() > 0;
  }

  /// A look, the decision and its compare-and-set are one step; what was seen may be old by then.
  private void addDecision(List<Step<RolloutWorld>> steps) {
    if (!leads() || !driver.outbox().isEmpty()) {
      return;
    }
    Rollout next = world.laws().next(world.control(), world.observed());
    RolloutWorld committed = world.committed(next);
    Map<NodeId, DesiredState> outbox = unwritten(committed);
    RolloutWorld after = committed.driven(index, new Driver(driver.lead(), outbox));
    if (!after.equals(world)) {
      steps.add(step(() -> "decides; to write: " + outbox.keySet(), after));
    }
  }

  private Map<NodeId, DesiredState> unwritten(RolloutWorld committed) {
    Map<NodeId, DesiredState> outbox = new HashMap<>();
    Rollout.orders(committed.control())
        .forEach((node, order) -> {
          if (!isWritten(order, world.desired().get(node))) {
            outbox.put(node, order.under(driver.lead(), committed.decision()));
          }
        });
    return outbox;
  }

  private boolean isWritten(Assignment order, @Nullable DesiredState there) {
    return there != null
        && there.task().equals(order.task())
        && there.goal() == order.goal()
        && there.lead().equals(driver.lead());
  }

  private void addWrites(List<Step<RolloutWorld>> steps) {
    driver
        .outbox()
        .forEach((node, desired) -> {
          steps.add(
              step(() -> "writes " + desired.goal() + " for " + node, written(node, desired)));
        });
    if (!driver.outbox().isEmpty() && world.troubles() > 0) {
      Driver idle = new Driver(driver.lead(), Map.of());
      steps.add(step(() -> "loses its writes", world.troubled().driven(index, idle)));
    }
  }

  private RolloutWorld written(NodeId node, DesiredState desired) {
    Map<NodeId, DesiredState> left = new HashMap<>(driver.outbox());
    left.remove(node);
    RolloutWorld done = world.driven(index, new Driver(driver.lead(), left));
    DesiredState there = world.desired().get(node);
    if (there != null && !world.laws().replaces(desired, there)) {
      return done;
    }
    Map<NodeId, DesiredState> all = new HashMap<>(world.desired());
    all.put(node, desired);
    return done.desiring(all);
  }

  private Step<RolloutWorld> step(Supplier<String> words, RolloutWorld to) {
    return new Step<>(() -> "driver " + index + " " + words.get(), to);
  }
}
