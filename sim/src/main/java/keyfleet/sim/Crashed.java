package keyfleet.sim;

/// A process ends here, in the middle of whatever it does. An error, so that no loop under test
/// catches it.
final class Crashed extends Error {
  private static final long serialVersionUID = 1L;

  Crashed() {
    super("crashed", null, false, false);
  }
}
