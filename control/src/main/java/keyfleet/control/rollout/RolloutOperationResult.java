package keyfleet.control.rollout;

import keyfleet.rollout.controller.Rollout;

/// What became of an operator's order.
public sealed interface RolloutOperationResult {
  /// It stands in the store; also if it had been given before.
  record Done(Rollout rollout) implements RolloutOperationResult {}

  record NoSuchRollout() implements RolloutOperationResult {}

  record Refused(String why) implements RolloutOperationResult {}

  /// Others changed the rollout all the time, or the store gave no answer. Giving the order again
  /// is safe.
  record Unconfirmed() implements RolloutOperationResult {}
}
