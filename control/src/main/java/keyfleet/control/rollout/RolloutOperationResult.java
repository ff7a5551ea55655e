package keyfleet.control.rollout;

import keyfleet.rollout.controller.Rollout;

/// The result of an operator's operation on a rollout.
public sealed interface RolloutOperationResult {
  /// The store has the requested state, from this operation or an earlier one.
  record Done(Rollout rollout) implements RolloutOperationResult {}

  record NoSuchRollout() implements RolloutOperationResult {}

  record Refused(String why) implements RolloutOperationResult {}

  /// Other processes kept changing the rollout, or the store gave no answer. The operation can
  /// safely be repeated.
  record Unconfirmed() implements RolloutOperationResult {}
}
