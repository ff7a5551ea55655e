package keyfleet.sim.fleet;

/// A promise was broken in a run. An error, so that no loop under test takes it for a store's
/// trouble.
public final class InvariantViolation extends Error {
  private static final long serialVersionUID = 1L;

  private final String invariant;

  public InvariantViolation(String invariant, String description) {
    super(invariant + ": " + description);
    this.invariant = invariant;
  }

  /// Its name, such as `P1` or `K7`.
  public String invariant() {
    return invariant;
  }

  public String message() {
    return String.valueOf(getMessage());
  }
}
