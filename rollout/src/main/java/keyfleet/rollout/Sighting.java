package keyfleet.rollout;

/// One look at the supervised software: whether it is ready, and how often its supervisor has had
/// to restart it since the release was swapped in. A count, so that a look repeated tells nothing
/// new.
public record Sighting(State state, int restarts) {
  public enum State {
    READY,
    NOT_READY
  }

  public Sighting {
    if (restarts < 0) {
      throw new IllegalArgumentException("restarts are counted from 0, not " + restarts);
    }
  }

  boolean isReady() {
    return state == State.READY;
  }
}
