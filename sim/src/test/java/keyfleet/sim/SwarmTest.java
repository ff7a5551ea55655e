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

/// Simulates 20,000 histories of the production loops. `SIM_SEED` replays one of them.
class SwarmTest {
  private static final long SEEDS = 20_000;
  private static final int MAX_MEDIAN_EVENTS = 400;

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
    Throughput throughput = new Throughput(System::nanoTime);
    Swarm.Result result = new Swarm(CombinedFleet::draw).run(0, SEEDS);
    SwarmTotals totals = result.totals();
    FailingSeed failure = result.failure();
    if (failure != null) {
      fail(failure.report(commit()));
    }
    System.out.printf(
        "swarm: %,d runs kept every promise: %,d events (%s), %,d messages, %,d faults%n",
        totals.runs(),
        totals.events(),
        throughput.describe(totals.events()),
        totals.messages(),
        totals.faultCount());
    assertEquals(EnumSet.allOf(Fault.Kind.class), Set.copyOf(totals.faults().keySet()));
  }

  /// Reports a failing seed with a minimal set of faults, or prints the trace of a run that passes.
  private static void replay(long seed) {
    Optional<FailingSeed> failure = new Swarm(CombinedFleet::draw).findFirst(seed, 1);
    if (failure.isPresent()) {
      fail(failure.get().report(commit()));
    }
    EventTrace.LastLines trace = new EventTrace.LastLines();
    new SimulationRun(CombinedFleet::draw, seed, Swarm.faultsOf(seed), trace).execute();
    trace.lines().forEach(System.out::println);
    System.out.println("swarm: seed " + seed + " keeps every promise");
  }

  /// Short runs allow more seeds in the same time.
  @Test
  void medianRun_isShort() {
    long[] events =
        LongStream.range(0, 401)
            .parallel()
            .map(seed ->
                new SimulationRun(CombinedFleet::draw, seed, Swarm.faultsOf(seed), EventTrace.NONE)
                    .execute()
                    .events())
            .sorted()
            .toArray();
    System.out.printf("swarm: the median run has %d events%n", events[events.length / 2]);
    assertTrue(events[events.length / 2] <= MAX_MEDIAN_EVENTS, "" + events[events.length / 2]);
  }
}
