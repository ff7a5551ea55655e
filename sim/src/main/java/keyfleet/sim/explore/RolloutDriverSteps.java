package keyfleet.sim.explore;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.controller.NodeAssignment;
import keyfleet.rollout.controller.Rollout;
import keyfleet.sim.explore.Explorer.Step;
import keyfleet.sim.explore.RolloutModelState.DriverState;
import org.jspecify.annotations.Nullable;

/// The steps of one driver: claim, observe and decide, write the decision, abort.
final class RolloutDriverSteps {
  private final RolloutModelState state;
  private final int index;
  private final DriverState driver;

  RolloutDriverSteps(RolloutModelState state, int index) {
    this.state = state;
    this.index = index;
    this.driver = state.drivers().get(index);
  }

  void addTo(List<Step<RolloutModelState>> steps) {
    if (!state.isOver()) {
      addClaims(steps);
      addDecision(steps);
    }
    addRollback(steps);
    addWrites(steps);
  }

  /// A claim without need counts as a fault: the earlier driver seemed to be silent.
  private void addClaims(List<Step<RolloutModelState>> steps) {
    DriverClaim claim = state.nextClaim();
    if (Rollout.shouldClaim(state.control())) {
      steps.add(step(() -> "claims " + claim.epoch(), state.withClaim(index, claim)));
    } else if (state.allowance().faults() > 0 && !isLeading()) {
      steps.add(
          step(
              () -> "takes over as " + claim.epoch(),
              state.withOneFewerFault().withClaim(index, claim)));
    }
    if (state.allowance().aborts() > 0) {
      steps.add(step(() -> "aborts as " + claim.epoch(), state.withAbort(index, claim)));
    }
  }

  private void addRollback(List<Step<RolloutModelState>> steps) {
    if (state.allowance().rollbacks() > 0 && !(state.control() instanceof Rollout.RolledBack)) {
      DriverClaim claim = state.nextClaim();
      steps.add(step(() -> "rolls back as " + claim.epoch(), state.withRollback(index, claim)));
    }
  }

  private boolean isLeading() {
    return driver.claim().equals(state.control().run().claim()) && driver.claim().epoch() > 0;
  }

  /// The observation, the decision and its compare-and-set are one step; the writes that follow may
  /// act on old observations.
  private void addDecision(List<Step<RolloutModelState>> steps) {
    if (!isLeading() || !driver.outbox().isEmpty()) {
      return;
    }
    Rollout next = state.protocol().next(state.control(), state.observed());
    RolloutModelState committed = state.withControl(next);
    Map<NodeId, DesiredState> outbox = pendingWrites(committed);
    RolloutModelState after = committed.withDriver(index, new DriverState(driver.claim(), outbox));
    if (!after.equals(state)) {
      steps.add(step(() -> "decides; to write: " + outbox.keySet(), after));
    }
  }

  private Map<NodeId, DesiredState> pendingWrites(RolloutModelState committed) {
    Map<NodeId, DesiredState> outbox = new HashMap<>();
    Rollout.assignments(committed.control())
        .forEach((node, order) -> {
          if (!isWritten(order, state.desiredStates().get(node))) {
            outbox.put(node, order.toDesiredState(driver.claim(), committed.decision()));
          }
        });
    return outbox;
  }

  private boolean isWritten(NodeAssignment order, @Nullable DesiredState present) {
    return present != null
        && present.task().equals(order.task())
        && present.goal() == order.goal()
        && present.claim().equals(driver.claim());
  }

  private void addWrites(List<Step<RolloutModelState>> steps) {
    driver
        .outbox()
        .forEach((node, desiredState) -> {
          steps.add(
              step(
                  () -> "writes " + desiredState.goal() + " for " + node,
                  withWrite(node, desiredState)));
        });
    if (!driver.outbox().isEmpty() && state.allowance().faults() > 0) {
      DriverState idle = new DriverState(driver.claim(), Map.of());
      steps.add(step(() -> "loses its writes", state.withOneFewerFault().withDriver(index, idle)));
    }
  }

  private RolloutModelState withWrite(NodeId node, DesiredState desiredState) {
    Map<NodeId, DesiredState> remaining = new HashMap<>(driver.outbox());
    remaining.remove(node);
    RolloutModelState done = state.withDriver(index, new DriverState(driver.claim(), remaining));
    DesiredState present = state.desiredStates().get(node);
    if (present != null && !state.protocol().canReplace(desiredState, present)) {
      return done;
    }
    Map<NodeId, DesiredState> all = new HashMap<>(state.desiredStates());
    all.put(node, desiredState);
    return done.withDesiredStates(all);
  }

  private Step<RolloutModelState> step(Supplier<String> description, RolloutModelState next) {
    return new Step<>(() -> "driver " + index + " " + description.get(), next);
  }
}
