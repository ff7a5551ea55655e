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

/// One history: a seed's fleet, its weather, and what became of it. The same seed and weather give
/// the same history, always.
final class SimulationRun {
  /// Once the weather is calm, everything under way must end within this time.
  static final long PATIENCE = 1_800 * VirtualTimeScheduler.SECOND;

  /// A run that needs more is going in circles.
  private static final long MOST_EVENTS = 20_000;

  sealed interface Outcome {
    long events();

    long messages();
  }

  record Passed(long events, long messages) implements Outcome {}

  /// `promise` is its name, `words` say how it was broken.
  record Violated(long events, long messages, String promise, String words) implements Outcome {}

  static {
    FakeCipherProvider.install();
  }

  private final FleetFactory universe;
  private final long seed;
  private final FaultSchedule weather;
  private final EventTrace diary;

  SimulationRun(FleetFactory universe, long seed, FaultSchedule weather, EventTrace diary) {
    this.universe = universe;
    this.seed = seed;
    this.weather = weather;
    this.diary = diary;
  }

  Outcome outcome() {
    SimulatedWorld world = new SimulatedWorld(SeededRandom.of(seed).named("world"), weather, diary);
    VirtualTimeScheduler timeline = world.timeline();
    try {
      live(universe.fleet(world), timeline);
      return new Passed(timeline.events(), timeline.messages());
    } catch (InvariantViolation e) {
      return new Violated(timeline.events(), timeline.messages(), e.promise(), e.words());
    }
  }

  private void live(SimulatedFleet fleet, VirtualTimeScheduler timeline) {
    fleet.start();
    for (Fault fault : weather.faults()) {
      timeline.in(fault.at(), () -> strike(fleet, fault, timeline));
    }
    timeline.in(weather.calmAt(), () -> calm(fleet, timeline));
    timeline.afterEach(() -> watch(fleet, timeline));
    timeline.runUntil(weather.calmAt() + PATIENCE);
    Optional<Supplier<String>> unfinished = fleet.unfinished();
    if (unfinished.isPresent()) {
      throw new InvariantViolation("LIVENESS", unfinished.get().get());
    }
    fleet.checkEnd();
  }

  private void strike(SimulatedFleet fleet, Fault fault, VirtualTimeScheduler timeline) {
    diary.note(timeline.now(), "weather", fault::toString);
    fleet.strike(fault);
  }

  private void calm(SimulatedFleet fleet, VirtualTimeScheduler timeline) {
    diary.note(timeline.now(), "weather", () -> "calm");
    fleet.calm();
  }

  private void watch(SimulatedFleet fleet, VirtualTimeScheduler timeline) {
    fleet.check();
    if (timeline.events() > MOST_EVENTS) {
      throw new InvariantViolation("LIVENESS", "more than " + MOST_EVENTS + " events");
    }
    if (timeline.now() > weather.calmAt() && fleet.unfinished().isEmpty()) {
      timeline.end();
    }
  }
}
