package keyfleet.rollout.node;

import keyfleet.rollout.DesiredState;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.node.SoakHealth.StoreLink;
import keyfleet.rollout.release.ReleaseVerdict;

/// What happens to a node: an order, the result of an action, a probe of the software, or a tick.
public sealed interface NodeEvent {
  record OrderReceived(DesiredState order) implements NodeEvent {}

  record Ticked() implements NodeEvent {}

  record Probed(ProbeResult result, StoreLink link) implements NodeEvent {}

  /// The result of an action of one attempt; in any other attempt it is ignored.
  sealed interface Outcome extends NodeEvent {
    AttemptId attemptId();
  }

  record AttemptId(RolloutId rollout, int attempt) {}

  /// The artifact is complete and matches its digest; `verdict` is the node's own (R21). A release
  /// that the rules refuse is not even downloaded.
  record Fetched(AttemptId attemptId, ReleaseVerdict verdict) implements Outcome {}

  record FetchFailed(AttemptId attemptId, String reason) implements Outcome {}

  /// The rules are checked again, right before the swap: a release may have expired while it was
  /// staged (I9).
  record RulesChecked(AttemptId attemptId, ReleaseVerdict verdict) implements Outcome {}

  /// The release runs: it was swapped in just now, or was found running after a crash.
  record Swapped(AttemptId attemptId) implements Outcome {}

  /// The swap is undone, or the staged release is deleted.
  record Undone(AttemptId attemptId) implements Outcome {}
}
