package keyfleet.rollout.node;

import keyfleet.rollout.Sha256;
import keyfleet.rollout.node.NodeEvent.AttemptId;

/// What a watchdog must do now. Each action can be repeated without harm, because a crash may hide
/// that it was done.
public sealed interface NodeAction {
  record Nothing() implements NodeAction {}

  record Download(AttemptId attemptId, Sha256 release) implements NodeAction {}

  /// Find out which release runs; if it is not this one yet, check the rules.
  record CheckRules(AttemptId attemptId, Sha256 release) implements NodeAction {}

  record Swap(AttemptId attemptId, Sha256 release) implements NodeAction {}

  record Probe() implements NodeAction {}

  record SwapBack(AttemptId attemptId, Sha256 release) implements NodeAction {}

  record Discard(AttemptId attemptId, Sha256 release) implements NodeAction {}
}
