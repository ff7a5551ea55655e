package keyfleet.rollout.node;

import java.util.List;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.node.Node.Applying;
import keyfleet.rollout.node.Node.Check;
import keyfleet.rollout.node.Node.Confirmed;
import keyfleet.rollout.node.Node.Ended;
import keyfleet.rollout.node.Node.Preparing;
import keyfleet.rollout.node.Node.Reverted;
import keyfleet.rollout.node.Node.RolledBack;
import keyfleet.rollout.node.Node.RollingBack;
import keyfleet.rollout.node.Node.Soaked;
import keyfleet.rollout.node.Node.Soaking;
import keyfleet.rollout.node.Node.Staged;
import keyfleet.rollout.node.Node.Tasked;
import keyfleet.rollout.node.Node.Unconfirmed;
import keyfleet.rollout.node.Node.Undo;
import keyfleet.rollout.node.NodeEvent.AttemptId;
import keyfleet.rollout.node.NodeEvent.FetchFailed;
import keyfleet.rollout.node.NodeEvent.Fetched;
import keyfleet.rollout.node.NodeEvent.OrderReceived;
import keyfleet.rollout.node.NodeEvent.Outcome;
import keyfleet.rollout.node.NodeEvent.Probed;
import keyfleet.rollout.node.NodeEvent.RulesChecked;
import keyfleet.rollout.node.NodeEvent.Swapped;
import keyfleet.rollout.node.NodeEvent.Ticked;
import keyfleet.rollout.node.NodeEvent.Undone;
import keyfleet.rollout.release.ReleaseVerdict.Acceptable;
import keyfleet.rollout.release.ReleaseVerdict.Reason;
import keyfleet.rollout.release.ReleaseVerdict.Unacceptable;

/// The transition table of a node. The diagram is in the package's description.
final class NodeTransitions {
  private record Step(Node node, NodeEvent event) {}

  private NodeTransitions() {}

  /// The deadline comes first: no event, not even a confirm, saves an overdue release (I4). A
  /// result from before the deadline then says nothing about the rollback.
  static Node next(Node before, NodeEvent event, long now) {
    Node node = afterDeadline(before, now);
    if (!(event instanceof OrderReceived) && !node.equals(before)) {
      return node;
    }
    if (event instanceof Outcome outcome && !isForAttempt(node, outcome.attemptId())) {
      return node;
    }
    return switch (new Step(node, event)) {
      case Step(Node n, OrderReceived(DesiredState order)) ->
          NodeOrderTransitions.afterOrder(n, order, now);

      case Step(Preparing(NodeTask t), Fetched(_, Acceptable _)) -> new Staged(t);
      case Step(Preparing(NodeTask t), Fetched(_, Unacceptable refusal)) ->
          discardRelease(t, RollbackReason.REFUSED, descriptions(refusal));
      case Step(Preparing(NodeTask t), FetchFailed(_, var reason)) ->
          discardRelease(t, RollbackReason.INFRASTRUCTURE, List.of(reason));
      case Step(Applying(NodeTask t, _, long confirmBy), RulesChecked(_, Acceptable _)) ->
          new Applying(t, Check.PASSED, confirmBy);
      case Step(Applying(NodeTask t, _, _), RulesChecked(_, Unacceptable refusal)) ->
          new RollingBack(t, Undo.SWAP_BACK, RollbackReason.REFUSED, descriptions(refusal));
      case Step(Applying(NodeTask t, _, long confirmBy), Swapped _) ->
          new Soaking(t, SoakHealth.start(now), confirmBy);
      case Step(Soaking s, Probed probed) ->
          afterSoakProbe(s, s.soakHealth().afterProbe(probed.result(), probed.link(), now));
      case Step(Soaked s, Probed probed) ->
          afterLateProbe(s, s.soakHealth().afterProbe(probed.result(), probed.link(), now));
      case Step(RollingBack r, Undone _) -> afterUndo(r);

      case Step(_, Outcome _), Step(_, Probed _), Step(_, Ticked _) -> node;
    };
  }

  private static boolean isForAttempt(Node node, AttemptId attemptId) {
    return node instanceof Tasked tasked
        && tasked.nodeTask().isFor(attemptId.rollout())
        && tasked.nodeTask().task().attempt() == attemptId.attempt();
  }

  private static Node afterDeadline(Node node, long now) {
    return node instanceof Unconfirmed unconfirmed
            && ElapsedTime.isReached(unconfirmed.confirmBy(), now)
        ? swapBack(unconfirmed.nodeTask(), deadlineReason(unconfirmed))
        : node;
  }

  /// A node that was cut off for too long does not blame the release.
  private static RollbackReason deadlineReason(Unconfirmed node) {
    return node instanceof Soaking s && s.soakHealth().isToBlame()
        ? RollbackReason.UNHEALTHY
        : RollbackReason.UNCONFIRMED;
  }

  private static Node afterSoakProbe(Soaking s, SoakHealth soakHealth) {
    if (soakHealth.hasFailed(s.nodeTask().task().healthWait())) {
      return swapBack(s.nodeTask(), RollbackReason.UNHEALTHY);
    }
    return soakHealth.hasPassed(s.nodeTask().task().soak())
        ? new Soaked(s.nodeTask(), soakHealth, s.confirmBy())
        : new Soaking(s.nodeTask(), soakHealth, s.confirmBy());
  }

  /// Probing continues until the confirm, because a release may go bad late.
  private static Node afterLateProbe(Soaked s, SoakHealth soakHealth) {
    return soakHealth.hasFailed(s.nodeTask().task().healthWait())
        ? swapBack(s.nodeTask(), RollbackReason.UNHEALTHY)
        : new Soaked(s.nodeTask(), soakHealth, s.confirmBy());
  }

  private static Node afterUndo(RollingBack rollback) {
    return rollback.undo() == Undo.REVERT
        ? new Reverted(rollback.nodeTask().withBaseline(rollback.baseline().afterRevert()))
        : new RolledBack(rollback.nodeTask(), rollback.rollbackReason(), rollback.reasons());
  }

  /// The release never ran. A slot that is in use, or kept for a rollback, must not be discarded
  /// (R8).
  static Node discardRelease(
      NodeTask nodeTask, RollbackReason rollbackReason, List<String> reasons) {
    return nodeTask.baseline().isKept(nodeTask.task().release())
        ? new RolledBack(nodeTask, rollbackReason, reasons)
        : new RollingBack(nodeTask, Undo.DISCARD, rollbackReason, reasons);
  }

  static Node swapBack(NodeTask nodeTask, RollbackReason rollbackReason) {
    return new RollingBack(nodeTask, Undo.SWAP_BACK, rollbackReason, List.of());
  }

  static Node confirm(NodeTask nodeTask) {
    return new Confirmed(
        nodeTask.withBaseline(nodeTask.baseline().afterConfirm(nodeTask.task().release())));
  }

  static TaskHistoryEntry toHistoryEntry(Ended node) {
    NodeTask nodeTask = node.nodeTask();
    return new TaskHistoryEntry(
        nodeTask.task(),
        nodeTask.releaseBefore(),
        nodeTask.claim(),
        nodeTask.direction(),
        node.phase(),
        node.rollbackReason());
  }

  private static List<String> descriptions(Unacceptable verdict) {
    return verdict.reasons().stream().map(Reason::description).toList();
  }
}
