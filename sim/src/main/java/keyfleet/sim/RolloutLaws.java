package keyfleet.sim;

import java.time.Duration;
import keyfleet.rollout.Desired;
import keyfleet.rollout.Node;
import keyfleet.rollout.NodeEvent.Commanded;
import keyfleet.rollout.Rollout;
import keyfleet.rollout.RolloutEvent;
import keyfleet.rollout.RolloutEvent.Observed;

/// What drivers, stores and nodes do in a rollout. These are the true ones; the tests bend them one
/// at a time.
public interface RolloutLaws {
  RolloutLaws TRUE = new RolloutLaws() {};

  default Rollout next(Rollout rollout, RolloutEvent event) {
    return Rollout.next(rollout, event, Duration.ZERO);
  }

  /// What a driver makes of what it is shown.
  default Observed seen(Observed shown) {
    return shown;
  }

  /// Whether a desired state may be written over another.
  default boolean replaces(Desired next, Desired present) {
    return next.mayReplace(present);
  }

  default Node obeyed(Node node, Desired desired) {
    return Node.next(node, new Commanded(desired), 0);
  }
}
