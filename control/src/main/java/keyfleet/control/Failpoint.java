package keyfleet.control;

/// An effect of a loop on the world outside. Tests iterate over all of them.
public enum Failpoint {
  // Rotations.
  KEYSTORE_READ,
  KEYSTORE_WRITE,
  // Rollouts.
  ROLLOUT_READ,
  ROLLOUT_WRITE
}
