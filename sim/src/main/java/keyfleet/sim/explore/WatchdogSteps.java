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

/// What one node can do in a world.
final class WatchdogSteps {
  private final RolloutModelState world;
  private final int index;
  private final WatchdogState machine;
  private final Node node;

  WatchdogSteps(RolloutModelState world, int index) {
    this.world = world;
    this.index = index;
    this.machine = world.machines().get(index);
    this.node = machine.node();
  }

  void addTo(List<Step<RolloutModelState>> steps) {
    addOrders(steps);
    addWork(steps);
    if (world.troubles() > 0) {
      addTroubles(steps);
    }
    if (!machine.isConnected()) {
      steps.add(step(world, () -> "is back", machine.linked(StoreLink.CONNECTED)));
    }
  }

  /// Reading and acting are two steps; reading again forgets what was read before.
  private void addOrders(List<Step<RolloutModelState>> steps) {
    DesiredState desiredState = world.desiredState().get(node.baseline().node());
    if (desiredState != null && machine.isConnected() && matters(desiredState)) {
      steps.add(step(world, () -> "reads " + desiredState.goal(), machine.reading(desiredState)));
    }
    DesiredState read = machine.read();
    if (read != null) {
      Node obeyed = world.laws().obeyed(node, read);
      steps.add(step(world, () -> "obeys " + read.goal(), machine.become(obeyed, null)));
    }
  }

  private boolean matters(DesiredState desiredState) {
    return !desiredState.equals(machine.read())
        && !world.laws().obeyed(node, desiredState).equals(node);
  }

  private void addWork(List<Step<RolloutModelState>> steps) {
    switch (Node.nextAction(node)) {
      case NodeAction.Download(AttemptId of, _) ->
          steps.add(happens("fetches", new Fetched(of, new Acceptable())));
      case NodeAction.CheckRules(AttemptId of, _) ->
          steps.add(happens("judges", new RulesChecked(of, new Acceptable())));
      case NodeAction.Swap(AttemptId of, _) -> steps.add(happens("swaps", new Swapped(of)));
      case NodeAction.SwapBack(AttemptId of, _) -> steps.add(happens("swaps back", new Undone(of)));
      case NodeAction.Discard(AttemptId of, _) -> steps.add(happens("discards", new Undone(of)));
      case NodeAction.Probe() -> {
        if (node instanceof Soaking && machine.isConnected()) {
          steps.add(happens("soaks", probed(State.READY, 0)));
        }
      }
      case NodeAction.Nothing() -> {}
    }
  }

  private void addTroubles(List<Step<RolloutModelState>> steps) {
    RolloutModelState troubled = world.troubled();
    if (machine.isConnected()) {
      steps.add(step(troubled, () -> "is cut off", machine.linked(StoreLink.CUT_OFF)));
    }
    if (node instanceof Unconfirmed unconfirmed) {
      Node overdue = Node.next(node, new Ticked(), unconfirmed.confirmBy());
      steps.add(step(troubled, () -> "is overdue", machine.become(overdue, machine.read())));
    }
    if (Node.nextAction(node) instanceof NodeAction.Probe && machine.isConnected()) {
      Node ill = Node.next(node, probed(State.NOT_READY, SoakHealth.MAX_RELAPSES + 1), 0);
      steps.add(step(troubled, () -> "falls ill", machine.become(ill, machine.read())));
    }
  }

  private static Probed probed(State state, int restarts) {
    return new Probed(new ProbeResult(state, restarts), StoreLink.CONNECTED);
  }

  private Step<RolloutModelState> happens(String words, NodeEvent event) {
    return step(world, () -> words, machine.become(Node.next(node, event, 0), machine.read()));
  }

  private Step<RolloutModelState> step(
      RolloutModelState in, Supplier<String> words, WatchdogState next) {
    return new Step<>(() -> "node " + index + " " + words.get(), in.replaced(index, next));
  }
}
