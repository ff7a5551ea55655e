package keyfleet.sim.explore;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.controller.Assignment;
import keyfleet.rollout.controller.Rollout;
import keyfleet.sim.explore.Explorer.Step;
import keyfleet.sim.explore.RolloutModelState.DriverState;
import org.jspecify.annotations.Nullable;

/// What one driver can do in a world: claim, look and decide, write what it decided, abort.
final class RolloutDriverSteps {
  private final RolloutModelState world;
  private final int index;
  private final DriverState driver;

  RolloutDriverSteps(RolloutModelState world, int index) {
    this.world = world;
    this.index = index;
    this.driver = world.drivers().get(index);
  }

  void addTo(List<Step<RolloutModelState>> steps) {
    if (!world.isOver()) {
      addClaims(steps);
      addDecision(steps);
    }
    addRollback(steps);
    addWrites(steps);
  }

  /// One that nothing calls for is a trouble: the driver before seemed to be silent.
  private void addClaims(List<Step<RolloutModelState>> steps) {
    DriverClaim driverClaim = world.nextLead();
    if (Rollout.shouldClaim(world.control())) {
      steps.add(step(() -> "claims " + driverClaim.epoch(), world.claimedBy(index, driverClaim)));
    } else if (world.troubles() > 0 && !leads()) {
      steps.add(
          step(
              () -> "takes over as " + driverClaim.epoch(),
              world.troubled().claimedBy(index, driverClaim)));
    }
    if (world.aborts() > 0) {
      steps.add(
          step(() -> "aborts as " + driverClaim.epoch(), world.abortedBy(index, driverClaim)));
    }
  }

  private void addRollback(List<Step<RolloutModelState>> steps) {
    if (world.rollbacks() > 0 && !(world.control() instanceof Rollout.RolledBack)) {
      DriverClaim driverClaim = world.nextLead();
      steps.add(
          step(
              () -> "rolls back as " + driverClaim.epoch(),
              world.rolledBackBy(index, driverClaim)));
    }
  }

  private boolean leads() {
    return driver.driverClaim().equals(world.control().run().claim())
        && driver.driverClaim().epoch() > 0;
  }

  /// A look, the decision and its compare-and-set are one step; what was seen may be old by then.
  private void addDecision(List<Step<RolloutModelState>> steps) {
    if (!leads() || !driver.outbox().isEmpty()) {
      return;
    }
    Rollout next = world.laws().next(world.control(), world.observed());
    RolloutModelState committed = world.committed(next);
    Map<NodeId, DesiredState> outbox = unwritten(committed);
    RolloutModelState after =
        committed.driven(index, new DriverState(driver.driverClaim(), outbox));
    if (!after.equals(world)) {
      steps.add(step(() -> "decides; to write: " + outbox.keySet(), after));
    }
  }

  private Map<NodeId, DesiredState> unwritten(RolloutModelState committed) {
    Map<NodeId, DesiredState> outbox = new HashMap<>();
    Rollout.assignments(committed.control())
        .forEach((node, order) -> {
          if (!isWritten(order, world.desiredState().get(node))) {
            outbox.put(node, order.toDesiredState(driver.driverClaim(), committed.decision()));
          }
        });
    return outbox;
  }

  private boolean isWritten(Assignment order, @Nullable DesiredState there) {
    return there != null
        && there.task().equals(order.task())
        && there.goal() == order.goal()
        && there.claim().equals(driver.driverClaim());
  }

  private void addWrites(List<Step<RolloutModelState>> steps) {
    driver
        .outbox()
        .forEach((node, desiredState) -> {
          steps.add(
              step(
                  () -> "writes " + desiredState.goal() + " for " + node,
                  written(node, desiredState)));
        });
    if (!driver.outbox().isEmpty() && world.troubles() > 0) {
      DriverState idle = new DriverState(driver.driverClaim(), Map.of());
      steps.add(step(() -> "loses its writes", world.troubled().driven(index, idle)));
    }
  }

  private RolloutModelState written(NodeId node, DesiredState desiredState) {
    Map<NodeId, DesiredState> left = new HashMap<>(driver.outbox());
    left.remove(node);
    RolloutModelState done = world.driven(index, new DriverState(driver.driverClaim(), left));
    DesiredState there = world.desiredState().get(node);
    if (there != null && !world.laws().replaces(desiredState, there)) {
      return done;
    }
    Map<NodeId, DesiredState> all = new HashMap<>(world.desiredState());
    all.put(node, desiredState);
    return done.desiring(all);
  }

  private Step<RolloutModelState> step(Supplier<String> words, RolloutModelState to) {
    return new Step<>(() -> "driver " + index + " " + words.get(), to);
  }
}
