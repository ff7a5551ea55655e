package keyfleet.sim.fleet;

/// A promise was broken in a run. An error, so that no loop under test takes it for a store's
/// trouble.
public final class InvariantViolation extends Error {
  private static final long serialVersionUID = 1L;

  private final String promise;

  public InvariantViolation(String promise, String words) {
    super(promise + ": " + words);
    this.promise = promise;
  }

  /// Its name, such as `P1` or `K7`.
  public String promise() {
    return promise;
  }

  public String words() {
    return String.valueOf(getMessage());
  }
}
