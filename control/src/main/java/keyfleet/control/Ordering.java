package keyfleet.control;

import keyfleet.rollout.controller.Rollout;

/// What became of an operator's order.
public sealed interface Ordering {
  /// It stands in the store; also if it had been given before.
  record Done(Rollout rollout) implements Ordering {}

  record NoSuchRollout() implements Ordering {}

  record Refused(String why) implements Ordering {}

  /// Others changed the rollout all the time, or the store gave no answer. Giving the order again
  /// is safe.
  record NotSure() implements Ordering {}
}
