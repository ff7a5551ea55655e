package keyfleet.rollout;

import java.util.List;
import keyfleet.rollout.Node.Applying;
import keyfleet.rollout.Node.Check;
import keyfleet.rollout.Node.Confirmed;
import keyfleet.rollout.Node.Ended;
import keyfleet.rollout.Node.Preparing;
import keyfleet.rollout.Node.Reverted;
import keyfleet.rollout.Node.RolledBack;
import keyfleet.rollout.Node.RollingBack;
import keyfleet.rollout.Node.Soaked;
import keyfleet.rollout.Node.Soaking;
import keyfleet.rollout.Node.Staged;
import keyfleet.rollout.Node.Tasked;
import keyfleet.rollout.Node.Unconfirmed;
import keyfleet.rollout.Node.Undo;
import keyfleet.rollout.NodeEvent.Attempted;
import keyfleet.rollout.NodeEvent.Commanded;
import keyfleet.rollout.NodeEvent.FetchFailed;
import keyfleet.rollout.NodeEvent.Fetched;
import keyfleet.rollout.NodeEvent.Judged;
import keyfleet.rollout.NodeEvent.Outcome;
import keyfleet.rollout.NodeEvent.Probed;
import keyfleet.rollout.NodeEvent.Retreated;
import keyfleet.rollout.NodeEvent.Swapped;
import keyfleet.rollout.NodeEvent.Ticked;
import keyfleet.rollout.Verdict.Acceptable;
import keyfleet.rollout.Verdict.Reason;
import keyfleet.rollout.Verdict.Unacceptable;

/// The transition table of a node. The diagram is in the package's description.
final class NodeSteps {
  private record Step(Node node, NodeEvent event) {}

  private NodeSteps() {}

  /// The deadline comes first: no event, not even a confirm, saves an overdue release (I4). A
  /// result from before the deadline then says nothing about the rollback.
  static Node next(Node before, NodeEvent event, long now) {
    Node node = overdue(before, now);
    if (!(event instanceof Commanded) && !node.equals(before)) {
      return node;
    }
    if (event instanceof Outcome outcome && !concerns(node, outcome.of())) {
      return node;
    }
    return switch (new Step(node, event)) {
      case Step(Node n, Commanded(Desired desired)) -> NodeOrders.obeyed(n, desired, now);

      case Step(Preparing(Duty d), Fetched(_, Acceptable _)) -> new Staged(d);
      case Step(Preparing(Duty d), Fetched(_, Unacceptable no)) ->
          dropped(d, Setback.REFUSED, words(no));
      case Step(Preparing(Duty d), FetchFailed(_, var reason)) ->
          dropped(d, Setback.INFRASTRUCTURE, List.of(reason));
      case Step(Applying(Duty d, _, long by), Judged(_, Acceptable _)) ->
          new Applying(d, Check.PASSED, by);
      case Step(Applying(Duty d, _, _), Judged(_, Unacceptable no)) ->
          new RollingBack(d, Undo.SWAP_BACK, Setback.REFUSED, words(no));
      case Step(Applying(Duty d, _, long by), Swapped _) ->
          new Soaking(d, Vitals.starting(now), by);
      case Step(Soaking s, Probed e) -> soaked(s, s.vitals().seen(e.sighting(), e.link(), now));
      case Step(Soaked s, Probed e) -> watched(s, s.vitals().seen(e.sighting(), e.link(), now));
      case Step(RollingBack r, Retreated _) -> retreated(r);

      case Step(_, Outcome _), Step(_, Probed _), Step(_, Ticked _) -> node;
    };
  }

  private static boolean concerns(Node node, Attempted of) {
    return node instanceof Tasked tasked
        && tasked.duty().isOf(of.rollout())
        && tasked.duty().task().attempt() == of.attempt();
  }

  private static Node overdue(Node node, long now) {
    return node instanceof Unconfirmed risky && Elapsed.hasCome(risky.confirmBy(), now)
        ? swappedBack(risky.duty(), blame(risky))
        : node;
  }

  /// A node that was cut off for too long does not blame the release.
  private static Setback blame(Unconfirmed node) {
    return node instanceof Soaking s && s.vitals().isToBlame()
        ? Setback.UNHEALTHY
        : Setback.UNCONFIRMED;
  }

  private static Node soaked(Soaking s, Vitals vitals) {
    if (vitals.hasFailed(s.duty().task().healthWait())) {
      return swappedBack(s.duty(), Setback.UNHEALTHY);
    }
    return vitals.hasPassed(s.duty().task().soak())
        ? new Soaked(s.duty(), vitals, s.confirmBy())
        : new Soaking(s.duty(), vitals, s.confirmBy());
  }

  /// Probing continues until the confirm, because a release may go bad late.
  private static Node watched(Soaked s, Vitals vitals) {
    return vitals.hasFailed(s.duty().task().healthWait())
        ? swappedBack(s.duty(), Setback.UNHEALTHY)
        : new Soaked(s.duty(), vitals, s.confirmBy());
  }

  private static Node retreated(RollingBack back) {
    return back.undo() == Undo.REVERT
        ? new Reverted(back.duty().on(back.ground().reverted()))
        : new RolledBack(back.duty(), back.setback(), back.reasons());
  }

  /// The release never ran. A slot that is in use, or kept for a rollback, must not be discarded
  /// (R8).
  static Node dropped(Duty duty, Setback setback, List<String> reasons) {
    return duty.ground().keeps(duty.task().release())
        ? new RolledBack(duty, setback, reasons)
        : new RollingBack(duty, Undo.DISCARD, setback, reasons);
  }

  static Node swappedBack(Duty duty, Setback setback) {
    return new RollingBack(duty, Undo.SWAP_BACK, setback, List.of());
  }

  static Node confirmed(Duty duty) {
    return new Confirmed(duty.on(duty.ground().confirming(duty.task().release())));
  }

  static Chapter closed(Ended node) {
    Duty duty = node.duty();
    return new Chapter(
        duty.task(), duty.before(), duty.lead(), duty.course(), node.phase(), node.setback());
  }

  private static List<String> words(Unacceptable verdict) {
    return verdict.reasons().stream().map(Reason::words).toList();
  }
}
