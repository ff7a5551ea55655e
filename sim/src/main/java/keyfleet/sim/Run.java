package keyfleet.sim;

import java.util.Optional;
import java.util.function.Supplier;

/// One history: a seed's fleet, its weather, and what became of it. The same seed and weather give
/// the same history, always.
final class Run {
  /// Once the weather is calm, everything under way must end within this time.
  static final long PATIENCE = 1_800 * Timeline.SECOND;

  /// A run that needs more is going in circles.
  private static final long MOST_EVENTS = 20_000;

  sealed interface Outcome {
    long events();

    long messages();
  }

  record Kept(long events, long messages) implements Outcome {}

  /// `promise` is its name, `words` say how it was broken.
  record Broken(long events, long messages, String promise, String words) implements Outcome {}

  static {
    PaperCiphers.install();
  }

  private final Universe universe;
  private final long seed;
  private final Weather weather;
  private final Diary diary;

  Run(Universe universe, long seed, Weather weather, Diary diary) {
    this.universe = universe;
    this.seed = seed;
    this.weather = weather;
    this.diary = diary;
  }

  Outcome outcome() {
    World world = new World(Dice.of(seed).named("world"), weather, diary);
    Timeline timeline = world.timeline();
    try {
      live(universe.fleet(world), timeline);
      return new Kept(timeline.events(), timeline.messages());
    } catch (BrokenPromise e) {
      return new Broken(timeline.events(), timeline.messages(), e.promise(), e.words());
    }
  }

  private void live(Fleet fleet, Timeline timeline) {
    fleet.start();
    for (Fault fault : weather.faults()) {
      timeline.in(fault.at(), () -> strike(fleet, fault, timeline));
    }
    timeline.in(weather.calmAt(), () -> calm(fleet, timeline));
    timeline.afterEach(() -> watch(fleet, timeline));
    timeline.runUntil(weather.calmAt() + PATIENCE);
    Optional<Supplier<String>> unfinished = fleet.unfinished();
    if (unfinished.isPresent()) {
      throw new BrokenPromise("LIVENESS", unfinished.get().get());
    }
    fleet.checkEnd();
  }

  private void strike(Fleet fleet, Fault fault, Timeline timeline) {
    diary.note(timeline.now(), "weather", fault::toString);
    fleet.strike(fault);
  }

  private void calm(Fleet fleet, Timeline timeline) {
    diary.note(timeline.now(), "weather", () -> "calm");
    fleet.calm();
  }

  private void watch(Fleet fleet, Timeline timeline) {
    fleet.check();
    if (timeline.events() > MOST_EVENTS) {
      throw new BrokenPromise("LIVENESS", "more than " + MOST_EVENTS + " events");
    }
    if (timeline.now() > weather.calmAt() && fleet.unfinished().isEmpty()) {
      timeline.end();
    }
  }
}
