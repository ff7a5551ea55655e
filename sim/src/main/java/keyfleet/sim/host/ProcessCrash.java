package keyfleet.sim.host;

/// A process ends here, in the middle of whatever it does. An error, so that no loop under test
/// catches it.
final class ProcessCrash extends Error {
  private static final long serialVersionUID = 1L;

  ProcessCrash() {
    super("crashed", null, false, false);
  }
}
