package keyfleet.sim.explore;

import java.time.Duration;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.controller.Rollout;
import keyfleet.rollout.controller.RolloutEvent;
import keyfleet.rollout.controller.RolloutEvent.Observed;
import keyfleet.rollout.node.Node;
import keyfleet.rollout.node.NodeEvent.OrderReceived;

/// What drivers, stores and nodes do in a rollout. The defaults are correct; tests override one at
/// a time to plant a bug.
public interface RolloutProtocol {
  RolloutProtocol CORRECT = new RolloutProtocol() {};

  default Rollout next(Rollout rollout, RolloutEvent event) {
    return Rollout.next(rollout, event, Duration.ZERO);
  }

  /// What a driver concludes from its observations.
  default Observed observe(Observed observed) {
    return observed;
  }

  /// Whether a desired state may replace another.
  default boolean canReplace(DesiredState next, DesiredState present) {
    return next.canReplace(present);
  }

  default Node obey(Node node, DesiredState desiredState) {
    return Node.next(node, new OrderReceived(desiredState), 0);
  }
}
