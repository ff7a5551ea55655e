package keyfleet.sim.fleet;

/// An invariant does not hold in a run. An error, so that no loop under test mistakes it for a
/// store failure.
public final class InvariantViolation extends Error {
  private static final long serialVersionUID = 1L;

  private final String invariant;

  public InvariantViolation(String invariant, String description) {
    super(invariant + ": " + description);
    this.invariant = invariant;
  }

  /// The invariant's name, such as `P1` or `K7`.
  public String invariant() {
    return invariant;
  }

  public String message() {
    return String.valueOf(getMessage());
  }
}
