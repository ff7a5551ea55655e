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
    Node node = overdue(before, now);
    if (!(event instanceof OrderReceived) && !node.equals(before)) {
      return node;
    }
    if (event instanceof Outcome outcome && !concerns(node, outcome.of())) {
      return node;
    }
    return switch (new Step(node, event)) {
      case Step(Node n, OrderReceived(DesiredState desired)) ->
          NodeOrderTransitions.obeyed(n, desired, now);

      case Step(Preparing(NodeTask d), Fetched(_, Acceptable _)) -> new Staged(d);
      case Step(Preparing(NodeTask d), Fetched(_, Unacceptable no)) ->
          dropped(d, RollbackReason.REFUSED, words(no));
      case Step(Preparing(NodeTask d), FetchFailed(_, var reason)) ->
          dropped(d, RollbackReason.INFRASTRUCTURE, List.of(reason));
      case Step(Applying(NodeTask d, _, long by), RulesChecked(_, Acceptable _)) ->
          new Applying(d, Check.PASSED, by);
      case Step(Applying(NodeTask d, _, _), RulesChecked(_, Unacceptable no)) ->
          new RollingBack(d, Undo.SWAP_BACK, RollbackReason.REFUSED, words(no));
      case Step(Applying(NodeTask d, _, long by), Swapped _) ->
          new Soaking(d, SoakHealth.starting(now), by);
      case Step(Soaking s, Probed e) -> soaked(s, s.vitals().seen(e.sighting(), e.link(), now));
      case Step(Soaked s, Probed e) -> watched(s, s.vitals().seen(e.sighting(), e.link(), now));
      case Step(RollingBack r, Undone _) -> retreated(r);

      case Step(_, Outcome _), Step(_, Probed _), Step(_, Ticked _) -> node;
    };
  }

  private static boolean concerns(Node node, AttemptId of) {
    return node instanceof Tasked tasked
        && tasked.duty().isOf(of.rollout())
        && tasked.duty().task().attempt() == of.attempt();
  }

  private static Node overdue(Node node, long now) {
    return node instanceof Unconfirmed risky && ElapsedTime.hasCome(risky.confirmBy(), now)
        ? swappedBack(risky.duty(), blame(risky))
        : node;
  }

  /// A node that was cut off for too long does not blame the release.
  private static RollbackReason blame(Unconfirmed node) {
    return node instanceof Soaking s && s.vitals().isToBlame()
        ? RollbackReason.UNHEALTHY
        : RollbackReason.UNCONFIRMED;
  }

  private static Node soaked(Soaking s, SoakHealth vitals) {
    if (vitals.hasFailed(s.duty().task().healthWait())) {
      return swappedBack(s.duty(), RollbackReason.UNHEALTHY);
    }
    return vitals.hasPassed(s.duty().task().soak())
        ? new Soaked(s.duty(), vitals, s.confirmBy())
        : new Soaking(s.duty(), vitals, s.confirmBy());
  }

  /// Probing continues until the confirm, because a release may go bad late.
  private static Node watched(Soaked s, SoakHealth vitals) {
    return vitals.hasFailed(s.duty().task().healthWait())
        ? swappedBack(s.duty(), RollbackReason.UNHEALTHY)
        : new Soaked(s.duty(), vitals, s.confirmBy());
  }

  private static Node retreated(RollingBack back) {
    return back.undo() == Undo.REVERT
        ? new Reverted(back.duty().on(back.ground().reverted()))
        : new RolledBack(back.duty(), back.setback(), back.reasons());
  }

  /// The release never ran. A slot that is in use, or kept for a rollback, must not be discarded
  /// (R8).
  static Node dropped(NodeTask duty, RollbackReason setback, List<String> reasons) {
    return duty.ground().keeps(duty.task().release())
        ? new RolledBack(duty, setback, reasons)
        : new RollingBack(duty, Undo.DISCARD, setback, reasons);
  }

  static Node swappedBack(NodeTask duty, RollbackReason setback) {
    return new RollingBack(duty, Undo.SWAP_BACK, setback, List.of());
  }

  static Node confirmed(NodeTask duty) {
    return new Confirmed(duty.on(duty.ground().confirming(duty.task().release())));
  }

  static TaskHistoryEntry closed(Ended node) {
    NodeTask duty = node.duty();
    return new TaskHistoryEntry(
        duty.task(), duty.before(), duty.lead(), duty.course(), node.phase(), node.setback());
  }

  private static List<String> words(Unacceptable verdict) {
    return verdict.reasons().stream().map(Reason::words).toList();
  }
}
