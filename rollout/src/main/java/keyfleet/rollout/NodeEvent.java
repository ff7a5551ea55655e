package keyfleet.rollout;

import keyfleet.rollout.Vitals.Link;

/// What happens to a node: an order, the outcome of work, a look at the software, or time.
public sealed interface NodeEvent {
  record Commanded(Desired desired) implements NodeEvent {}

  record Ticked() implements NodeEvent {}

  record Probed(Sighting sighting, Link link) implements NodeEvent {}

  /// What came of the work of one attempt; in any other it means nothing.
  sealed interface Outcome extends NodeEvent {
    Attempted of();
  }

  record Attempted(RolloutId rollout, int attempt) {}

  /// The artifact is there, whole and under its digest; `verdict` is the node's own (R21). A
  /// release that the rules refuse is not even downloaded.
  record Fetched(Attempted of, Verdict verdict) implements Outcome {}

  record FetchFailed(Attempted of, String reason) implements Outcome {}

  /// The rules asked once more, as the last thing before the swap: a release may have expired while
  /// it was staged (I9).
  record Judged(Attempted of, Verdict verdict) implements Outcome {}

  /// The release runs, whether swapped in just now or found so after a crash.
  record Swapped(Attempted of) implements Outcome {}

  /// The swap is undone, or what was staged is gone.
  record Retreated(Attempted of) implements Outcome {}
}
