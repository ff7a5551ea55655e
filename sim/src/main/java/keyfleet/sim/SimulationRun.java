package keyfleet.sim;

import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.sim.cipher.FakeCipherProvider;
import keyfleet.sim.fleet.FleetFactory;
import keyfleet.sim.fleet.InvariantViolation;
import keyfleet.sim.fleet.SimulatedFleet;
import keyfleet.sim.fleet.SimulatedWorld;
import keyfleet.sim.host.EventTrace;
import keyfleet.sim.host.Fault;
import keyfleet.sim.host.FaultSchedule;
import keyfleet.sim.host.SeededRandom;
import keyfleet.sim.host.VirtualTimeScheduler;

/// Runs one history: the fleet of a seed, under its faults. The same seed and faults always give
/// the same history.
final class SimulationRun {
  /// After the last fault, all work must end within this time.
  static final long MAX_TIME_AFTER_FAULTS = 1_800 * VirtualTimeScheduler.SECOND;

  /// A run with more events makes no progress.
  private static final long MAX_EVENTS = 20_000;

  sealed interface Outcome {
    long events();

    long messages();
  }

  record Passed(long events, long messages) implements Outcome {}

  /// `invariant` is its name; `message` says how it was violated.
  record Violated(long events, long messages, String invariant, String message)
      implements Outcome {}

  static {
    FakeCipherProvider.install();
  }

  private final FleetFactory factory;
  private final long seed;
  private final FaultSchedule faults;
  private final EventTrace trace;

  SimulationRun(FleetFactory factory, long seed, FaultSchedule faults, EventTrace trace) {
    this.factory = factory;
    this.seed = seed;
    this.faults = faults;
    this.trace = trace;
  }

  Outcome execute() {
    SimulatedWorld world =
        new SimulatedWorld(SeededRandom.of(seed).forPurpose("world"), faults, trace);
    VirtualTimeScheduler scheduler = world.scheduler();
    try {
      runFleet(factory.create(world), scheduler);
      return new Passed(scheduler.events(), scheduler.messages());
    } catch (InvariantViolation e) {
      return new Violated(scheduler.events(), scheduler.messages(), e.invariant(), e.message());
    }
  }

  private void runFleet(SimulatedFleet fleet, VirtualTimeScheduler scheduler) {
    fleet.start();
    for (Fault fault : faults.faults()) {
      scheduler.schedule(fault.at(), () -> inject(fleet, fault, scheduler));
    }
    scheduler.schedule(faults.endsAt(), () -> heal(fleet, scheduler));
    scheduler.checkAfterEach(() -> checkAfterEvent(fleet, scheduler));
    scheduler.runUntil(faults.endsAt() + MAX_TIME_AFTER_FAULTS);
    Optional<Supplier<String>> unfinished = fleet.unfinishedWork();
    if (unfinished.isPresent()) {
      throw new InvariantViolation("LIVENESS", unfinished.get().get());
    }
    fleet.checkFinalInvariants();
  }

  private void inject(SimulatedFleet fleet, Fault fault, VirtualTimeScheduler scheduler) {
    trace.note(scheduler.now(), "faults", fault::toString);
    fleet.inject(fault);
  }

  private void heal(SimulatedFleet fleet, VirtualTimeScheduler scheduler) {
    trace.note(scheduler.now(), "faults", () -> "all faults end");
    fleet.heal();
  }

  private void checkAfterEvent(SimulatedFleet fleet, VirtualTimeScheduler scheduler) {
    fleet.checkInvariants();
    if (scheduler.events() > MAX_EVENTS) {
      throw new InvariantViolation("LIVENESS", "more than " + MAX_EVENTS + " events");
    }
    if (scheduler.now() > faults.endsAt() && fleet.unfinishedWork().isEmpty()) {
      scheduler.end();
    }
  }
}
