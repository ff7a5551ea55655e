package keyfleet.rollout;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import keyfleet.rollout.Preflight.Passed;
import keyfleet.rollout.Shape.NoCanaries;

/// A new rollout of a release to the nodes that failed with it, in a later attempt than any of them
/// has had (R17).
public sealed interface Retry {
  record Ready(RolloutSpec spec) implements Retry {}

  record Refused(String why) implements Retry {}

  /// Preflight runs again on `inventory`: nodes that are degraded now are left out, as in any
  /// rollout.
  static Retry of(Rollout ended, RolloutId id, String incarnation, List<NodeStatus> inventory) {
    RolloutSpec before = ended.run().spec();
    Set<NodeId> failed = new LinkedHashSet<>(ended.run().ledger().failed());
    if (!Rollout.isEnded(ended)) {
      return new Refused("rollout " + before.id() + " is still in progress");
    }
    if (failed.isEmpty()) {
      return new Refused("no node of rollout " + before.id() + " has failed");
    }
    Target target = new Target.Ids(failed);
    if (!(TargetParser.parse(target.toString()) instanceof TargetParser.Parsed)) {
      return new Refused(failed.size() + " failed nodes are too many for one retry");
    }
    Admission was = before.admission();
    Offer offer = was.offer().again(highest(ended.run().ledger(), failed) + 1);
    Admission again = new Admission(target, offer, was.degraded(), was.heldBack());
    return switch (Preflight.of(again, inventory)) {
      case Passed passed -> new Ready(spec(before, id, incarnation, again, passed));
      case Preflight.Refused refused -> new Refused(refused.words());
    };
  }

  private static int highest(Ledger ledger, Set<NodeId> failed) {
    return ledger.places().entrySet().stream()
        .filter(it -> failed.contains(it.getKey()))
        .mapToInt(it -> it.getValue().attempt())
        .max()
        .orElse(1);
  }

  private static RolloutSpec spec(
      RolloutSpec before, RolloutId id, String incarnation, Admission again, Passed passed) {
    Shape shape =
        new Shape(
            id.value(), new NoCanaries(), before.limits().batchSize(), before.plan().spread());
    Planning.Planned planned =
        (Planning.Planned) Plan.of(before.plan().release(), again.target(), shape, passed);
    return new RolloutSpec(
        id,
        incarnation,
        again,
        before.component(),
        planned.plan(),
        before.limits(),
        before.times());
  }
}
