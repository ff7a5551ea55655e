package keyfleet.sim.fleet;

import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.sim.host.Fault;

/// Part of a simulated world: hosts that run production loops, what goes wrong with them, and what
/// must be true of them.
public interface SimulatedFleet {
  void start();

  /// A fault begins; the fleet ends it by itself after its time.
  void inject(Fault fault);

  /// From here on nothing goes wrong: links are up, processes run, keys are where they belong.
  void heal();

  /// Throws [InvariantViolation] if something is not as it must be at every moment.
  void checkInvariants();

  /// What has not ended yet, if anything. The words are made only for whoever reads them: it is
  /// asked after every event.
  Optional<Supplier<String>> unfinishedWork();

  /// Throws [InvariantViolation] if something is not as it must be at the end.
  void checkFinalInvariants();
}
