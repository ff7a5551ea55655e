package keyfleet.sim.fleet;

import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.sim.host.Fault;

/// A part of a simulated world: hosts that run production loops, the faults that hit them, and the
/// invariants that must hold.
public interface SimulatedFleet {
  void start();

  /// Begins a fault; the fleet itself ends it after the fault's duration.
  void inject(Fault fault);

  /// Ends all faults: links are up, processes run, keys are complete.
  void heal();

  /// Throws [InvariantViolation] if an invariant of every moment does not hold.
  void checkInvariants();

  /// The work that has not ended yet, if any. Its text is made only when it is read, because the
  /// run asks after every event.
  Optional<Supplier<String>> unfinishedWork();

  /// Throws [InvariantViolation] if an invariant of the end of a run does not hold.
  void checkFinalInvariants();
}
