package keyfleet.rollout;

import keyfleet.rollout.Vitals.Link;

/// What happens to a node: an order, the result of an action, a probe of the software, or a tick.
public sealed interface NodeEvent {
  record Commanded(Desired desired) implements NodeEvent {}

  record Ticked() implements NodeEvent {}

  record Probed(Sighting sighting, Link link) implements NodeEvent {}

  /// The result of an action of one attempt; in any other attempt it is ignored.
  sealed interface Outcome extends NodeEvent {
    Attempted of();
  }

  record Attempted(RolloutId rollout, int attempt) {}

  /// The artifact is complete and matches its digest; `verdict` is the node's own (R21). A release
  /// that the rules refuse is not even downloaded.
  record Fetched(Attempted of, Verdict verdict) implements Outcome {}

  record FetchFailed(Attempted of, String reason) implements Outcome {}

  /// The rules are checked again, right before the swap: a release may have expired while it was
  /// staged (I9).
  record Judged(Attempted of, Verdict verdict) implements Outcome {}

  /// The release runs: it was swapped in just now, or was found running after a crash.
  record Swapped(Attempted of) implements Outcome {}

  /// The swap is undone, or the staged release is deleted.
  record Retreated(Attempted of) implements Outcome {}
}
