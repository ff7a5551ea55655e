package keyfleet.sim.host;

/// Ends a simulated process in the middle of its work. An error, so that no loop under test catches
/// it.
final class ProcessCrash extends Error {
  private static final long serialVersionUID = 1L;

  ProcessCrash() {
    super("crashed", null, false, false);
  }
}
