package keyfleet.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import keyfleet.rollout.Goal;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.controller.NodeProgress;
import keyfleet.rollout.controller.StopCause;
import keyfleet.rollout.node.Node;
import keyfleet.rollout.node.NodeTask;
import keyfleet.rollout.plan.EligibilityRules.DegradedNodes;
import org.junit.jupiter.api.Test;

class DocumentFieldsTest {
  /// Documents store these words, so a constant may not be renamed.
  @Test
  void storedWords_neverChange() {
    List<Enum<?>[]> stored =
        List.of(
            Goal.values(),
            NodePhase.values(),
            RollbackReason.values(),
            NodeProgress.values(),
            StopCause.values(),
            Node.Undo.values(),
            NodeTask.Direction.values(),
            DegradedNodes.values(),
            RolloutDriverHeartbeat.State.values());
    assertEquals(
        List.of(
            "staged applied confirmed rolled_back reverted",
            "preparing staged applying soaking soaked confirmed rolling_back rolled_back reverted",
            "none unhealthy refused infrastructure unconfirmed ordered",
            "pending pending_offline excluded occupied waiting preparing applying"
                + " confirming confirmed failing failed lost recalling recalled reverting reverted kept forgotten",
            "operator failures infrastructure store_lost",
            "discard swap_back revert",
            "forward turned",
            "excluded included",
            "driven released"),
        stored.stream()
            .map(it -> Stream.of(it).map(DocumentFields::toText).collect(Collectors.joining(" ")))
            .toList());
  }
}
