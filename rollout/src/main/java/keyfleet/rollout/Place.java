package keyfleet.rollout;

/// The progress of one node and its current attempt.
public record Place(Standing standing, int attempt) {
  Place in(Standing next) {
    return new Place(next, attempt);
  }
}
