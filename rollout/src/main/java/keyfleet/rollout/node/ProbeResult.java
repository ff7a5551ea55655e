package keyfleet.rollout.node;

/// The result of one probe of the supervised software: whether it is ready, and how often its
/// supervisor has restarted it since the release was swapped in. Restarts are a running count, so a
/// repeated probe adds nothing.
public record ProbeResult(State state, int restarts) {
  public enum State {
    READY,
    NOT_READY
  }

  public ProbeResult {
    if (restarts < 0) {
      throw new IllegalArgumentException("restarts must not be negative: " + restarts);
    }
  }

  boolean isReady() {
    return state == State.READY;
  }
}
