package keyfleet.rollout;

/// Where one node stands, and in which attempt.
public record Place(Standing standing, int attempt) {
  Place in(Standing next) {
    return new Place(next, attempt);
  }
}
