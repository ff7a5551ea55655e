package keyfleet.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;
import keyfleet.sim.host.EventTrace;
import keyfleet.sim.host.Fault;
import org.junit.jupiter.api.Test;

/// Twenty thousand histories of the production loops. `SIM_SEED` replays one.
class SwarmTest {
  private static final long SEEDS = 20_000;
  private static final int MOST_EVENTS_IN_THE_MIDDLE = 400;

  private static String commit() {
    return Optional.ofNullable(System.getenv("KEYFLEET_COMMIT")).orElse("unknown");
  }

  @Test
  void anySeed_keepsEveryPromise() {
    String replay = System.getenv("SIM_SEED");
    if (replay != null) {
      replay(Long.parseLong(replay));
      return;
    }
    Throughput pace = new Throughput(System::nanoTime);
    Swarm.Result result = new Swarm(CombinedFleet::drawn).run(0, SEEDS);
    SwarmTotals tally = result.tally();
    FailingSeed finding = result.finding();
    if (finding != null) {
      fail(finding.words(commit()));
    }
    System.out.printf(
        "swarm: %,d runs kept every promise: %,d events (%s), %,d messages, %,d faults%n",
        tally.runs(),
        tally.events(),
        pace.words(tally.events()),
        tally.messages(),
        tally.allFaults());
    assertEquals(EnumSet.allOf(Fault.Kind.class), Set.copyOf(tally.faults().keySet()));
  }

  /// A finding with its faults cut down, or what happened in a run that keeps its promises.
  private static void replay(long seed) {
    Optional<FailingSeed> finding = new Swarm(CombinedFleet::drawn).first(seed, 1);
    if (finding.isPresent()) {
      fail(finding.get().words(commit()));
    }
    EventTrace.LastLines diary = new EventTrace.LastLines();
    new SimulationRun(CombinedFleet::drawn, seed, Swarm.weather(seed), diary).outcome();
    diary.lines().forEach(System.out::println);
    System.out.println("swarm: seed " + seed + " keeps every promise");
  }

  /// Runs stay short, or there would be fewer of them.
  @Test
  void medianRun_isShort() {
    long[] events =
        LongStream.range(0, 401)
            .parallel()
            .map(seed ->
                new SimulationRun(CombinedFleet::drawn, seed, Swarm.weather(seed), EventTrace.NONE)
                    .outcome()
                    .events())
            .sorted()
            .toArray();
    System.out.printf("swarm: the median run has %d events%n", events[events.length / 2]);
    assertTrue(
        events[events.length / 2] <= MOST_EVENTS_IN_THE_MIDDLE, "" + events[events.length / 2]);
  }
}
