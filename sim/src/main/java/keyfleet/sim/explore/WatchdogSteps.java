package keyfleet.sim.explore;

import java.util.List;
import java.util.function.Supplier;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.node.Node;
import keyfleet.rollout.node.Node.Soaking;
import keyfleet.rollout.node.Node.Unconfirmed;
import keyfleet.rollout.node.NodeAction;
import keyfleet.rollout.node.NodeEvent;
import keyfleet.rollout.node.NodeEvent.AttemptId;
import keyfleet.rollout.node.NodeEvent.Fetched;
import keyfleet.rollout.node.NodeEvent.Probed;
import keyfleet.rollout.node.NodeEvent.RulesChecked;
import keyfleet.rollout.node.NodeEvent.Swapped;
import keyfleet.rollout.node.NodeEvent.Ticked;
import keyfleet.rollout.node.NodeEvent.Undone;
import keyfleet.rollout.node.ProbeResult;
import keyfleet.rollout.node.ProbeResult.State;
import keyfleet.rollout.node.SoakHealth;
import keyfleet.rollout.node.SoakHealth.StoreLink;
import keyfleet.rollout.release.ReleaseVerdict.Acceptable;
import keyfleet.sim.explore.Explorer.Step;

/// The steps of one node.
final class WatchdogSteps {
  private final RolloutModelState state;
  private final int index;
  private final WatchdogState watchdog;
  private final Node node;

  WatchdogSteps(RolloutModelState state, int index) {
    this.state = state;
    this.index = index;
    this.watchdog = state.watchdogs().get(index);
    this.node = watchdog.node();
  }

  void addTo(List<Step<RolloutModelState>> steps) {
    addOrders(steps);
    addWork(steps);
    if (state.allowance().faults() > 0) {
      addFaults(steps);
    }
    if (!watchdog.isConnected()) {
      steps.add(step(state, () -> "reconnects", watchdog.withLink(StoreLink.CONNECTED)));
    }
  }

  /// Reading and obeying are two steps; reading again replaces the order that was read before.
  private void addOrders(List<Step<RolloutModelState>> steps) {
    DesiredState desiredState = state.desiredStates().get(node.baseline().node());
    if (desiredState != null && watchdog.isConnected() && hasEffect(desiredState)) {
      steps.add(
          step(state, () -> "reads " + desiredState.goal(), watchdog.withPending(desiredState)));
    }
    DesiredState read = watchdog.pending();
    if (read != null) {
      Node afterwards = state.protocol().obey(node, read);
      steps.add(step(state, () -> "obeys " + read.goal(), watchdog.withNode(afterwards, null)));
    }
  }

  private boolean hasEffect(DesiredState desiredState) {
    return !desiredState.equals(watchdog.pending())
        && !state.protocol().obey(node, desiredState).equals(node);
  }

  private void addWork(List<Step<RolloutModelState>> steps) {
    switch (Node.nextAction(node)) {
      case NodeAction.Download(AttemptId of, _) ->
          steps.add(stepOf("fetches", new Fetched(of, new Acceptable())));
      case NodeAction.CheckRules(AttemptId of, _) ->
          steps.add(stepOf("checks the rules", new RulesChecked(of, new Acceptable())));
      case NodeAction.Swap(AttemptId of, _) -> steps.add(stepOf("swaps", new Swapped(of)));
      case NodeAction.SwapBack(AttemptId of, _) -> steps.add(stepOf("swaps back", new Undone(of)));
      case NodeAction.Discard(AttemptId of, _) -> steps.add(stepOf("discards", new Undone(of)));
      case NodeAction.Probe() -> {
        if (node instanceof Soaking && watchdog.isConnected()) {
          steps.add(stepOf("soaks", probed(State.READY, 0)));
        }
      }
      case NodeAction.Nothing() -> {}
    }
  }

  private void addFaults(List<Step<RolloutModelState>> steps) {
    RolloutModelState withFault = state.withOneFewerFault();
    if (watchdog.isConnected()) {
      steps.add(step(withFault, () -> "is cut off", watchdog.withLink(StoreLink.CUT_OFF)));
    }
    if (node instanceof Unconfirmed unconfirmed) {
      Node overdue = Node.next(node, new Ticked(), unconfirmed.confirmBy());
      steps.add(
          step(withFault, () -> "is overdue", watchdog.withNode(overdue, watchdog.pending())));
    }
    if (Node.nextAction(node) instanceof NodeAction.Probe && watchdog.isConnected()) {
      Node unhealthy = Node.next(node, probed(State.NOT_READY, SoakHealth.MAX_RELAPSES + 1), 0);
      steps.add(
          step(
              withFault,
              () -> "becomes unhealthy",
              watchdog.withNode(unhealthy, watchdog.pending())));
    }
  }

  private static Probed probed(State state, int restarts) {
    return new Probed(new ProbeResult(state, restarts), StoreLink.CONNECTED);
  }

  private Step<RolloutModelState> stepOf(String description, NodeEvent event) {
    return step(
        state, () -> description, watchdog.withNode(Node.next(node, event, 0), watchdog.pending()));
  }

  private Step<RolloutModelState> step(
      RolloutModelState from, Supplier<String> description, WatchdogState next) {
    return new Step<>(() -> "node " + index + " " + description.get(), from.withNode(index, next));
  }
}
