package keyfleet.sim;

import java.util.List;
import java.util.function.Supplier;
import keyfleet.rollout.Desired;
import keyfleet.rollout.Node;
import keyfleet.rollout.Node.Soaking;
import keyfleet.rollout.Node.Unconfirmed;
import keyfleet.rollout.NodeEvent;
import keyfleet.rollout.NodeEvent.Attempted;
import keyfleet.rollout.NodeEvent.Fetched;
import keyfleet.rollout.NodeEvent.Judged;
import keyfleet.rollout.NodeEvent.Probed;
import keyfleet.rollout.NodeEvent.Retreated;
import keyfleet.rollout.NodeEvent.Swapped;
import keyfleet.rollout.NodeEvent.Ticked;
import keyfleet.rollout.NodeWork;
import keyfleet.rollout.Sighting;
import keyfleet.rollout.Sighting.State;
import keyfleet.rollout.Verdict.Acceptable;
import keyfleet.rollout.Vitals;
import keyfleet.rollout.Vitals.Link;
import keyfleet.sim.Explorer.Step;

/// What one node can do in a world.
final class MachineSteps {
  private final RolloutWorld world;
  private final int index;
  private final Machine machine;
  private final Node node;

  MachineSteps(RolloutWorld world, int index) {
    this.world = world;
    this.index = index;
    this.machine = world.machines().get(index);
    this.node = machine.node();
  }

  void addTo(List<Step<RolloutWorld>> steps) {
    addOrders(steps);
    addWork(steps);
    if (world.troubles() > 0) {
      addTroubles(steps);
    }
    if (!machine.isConnected()) {
      steps.add(step(world, () -> "is back", machine.linked(Link.CONNECTED)));
    }
  }

  /// Reading and acting are two steps; reading again forgets what was read before.
  private void addOrders(List<Step<RolloutWorld>> steps) {
    Desired desired = world.desired().get(node.ground().node());
    if (desired != null && machine.isConnected() && matters(desired)) {
      steps.add(step(world, () -> "reads " + desired.goal(), machine.reading(desired)));
    }
    Desired read = machine.read();
    if (read != null) {
      Node obeyed = world.laws().obeyed(node, read);
      steps.add(step(world, () -> "obeys " + read.goal(), machine.become(obeyed, null)));
    }
  }

  private boolean matters(Desired desired) {
    return !desired.equals(machine.read()) && !world.laws().obeyed(node, desired).equals(node);
  }

  private void addWork(List<Step<RolloutWorld>> steps) {
    switch (Node.work(node)) {
      case NodeWork.Download(Attempted of, _) ->
          steps.add(happens("fetches", new Fetched(of, new Acceptable())));
      case NodeWork.Judge(Attempted of, _) ->
          steps.add(happens("judges", new Judged(of, new Acceptable())));
      case NodeWork.Swap(Attempted of, _) -> steps.add(happens("swaps", new Swapped(of)));
      case NodeWork.SwapBack(Attempted of, _) ->
          steps.add(happens("swaps back", new Retreated(of)));
      case NodeWork.Discard(Attempted of, _) -> steps.add(happens("discards", new Retreated(of)));
      case NodeWork.Probe() -> {
        if (node instanceof Soaking && machine.isConnected()) {
          steps.add(happens("soaks", probed(State.READY, 0)));
        }
      }
      case NodeWork.Nothing() -> {}
    }
  }

  private void addTroubles(List<Step<RolloutWorld>> steps) {
    RolloutWorld troubled = world.troubled();
    if (machine.isConnected()) {
      steps.add(step(troubled, () -> "is cut off", machine.linked(Link.CUT_OFF)));
    }
    if (node instanceof Unconfirmed unconfirmed) {
      Node overdue = Node.next(node, new Ticked(), unconfirmed.confirmBy());
      steps.add(step(troubled, () -> "is overdue", machine.become(overdue, machine.read())));
    }
    if (Node.work(node) instanceof NodeWork.Probe && machine.isConnected()) {
      Node ill = Node.next(node, probed(State.NOT_READY, Vitals.MAX_RELAPSES + 1), 0);
      steps.add(step(troubled, () -> "falls ill", machine.become(ill, machine.read())));
    }
  }

  private static Probed probed(State state, int restarts) {
    return new Probed(new Sighting(state, restarts), Link.CONNECTED);
  }

  private Step<RolloutWorld> happens(String words, NodeEvent event) {
    return step(world, () -> words, machine.become(Node.next(node, event, 0), machine.read()));
  }

  private Step<RolloutWorld> step(RolloutWorld in, Supplier<String> words, Machine next) {
    return new Step<>(() -> "node " + index + " " + words.get(), in.replaced(index, next));
  }
}
