package keyfleet.sim;

import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import keyfleet.sim.SimulationRun.Outcome;
import keyfleet.sim.SimulationRun.Violated;
import keyfleet.sim.fleet.FleetFactory;
import keyfleet.sim.host.EventTrace;
import keyfleet.sim.host.FaultSchedule;
import keyfleet.sim.host.SeededRandom;
import org.jspecify.annotations.Nullable;

/// Many runs, one a seed, on all cores.
final class Swarm {
  /// `finding` is null if every promise was kept.
  record Result(SwarmTotals tally, @Nullable FailingSeed finding) {}

  /// Seeds that are looked at side by side.
  private static final int BLOCK = 64;

  private final FleetFactory universe;

  Swarm(FleetFactory universe) {
    this.universe = universe;
  }

  static FaultSchedule weather(long seed) {
    return FaultSchedule.drawn(SeededRandom.of(seed).named("weather"));
  }

  Result run(long from, long runs) {
    return run(LongStream.range(0, runs).map(i -> from + i).parallel());
  }

  /// As [#run], in this thread alone.
  Result runAlone(long from, long runs) {
    return run(LongStream.range(0, runs).map(i -> from + i));
  }

  private Result run(LongStream seeds) {
    AtomicReference<FailingSeed> lowest = new AtomicReference<>();
    SwarmTotals tally =
        seeds
            .mapToObj(seed -> lowest.get() == null ? one(seed, lowest) : SwarmTotals.NONE)
            .reduce(SwarmTotals.NONE, SwarmTotals::plus);
    return new Result(tally, lowest.get());
  }

  private SwarmTotals one(long seed, AtomicReference<FailingSeed> lowest) {
    FaultSchedule weather = weather(seed);
    Outcome outcome = new SimulationRun(universe, seed, weather, EventTrace.NONE).outcome();
    if (outcome instanceof Violated broken) {
      FailingSeed finding = new FailingSeed(universe, seed, broken);
      lowest.accumulateAndGet(finding, (a, b) -> a != null && a.seed() <= b.seed() ? a : b);
    }
    return SwarmTotals.of(weather, outcome);
  }

  /// The lowest of `runs` seeds that breaks a promise.
  Optional<FailingSeed> first(long from, long runs) {
    for (long block = 0; block < runs; block += BLOCK) {
      Optional<FailingSeed> first =
          LongStream.range(from + block, from + Math.min(runs, block + BLOCK))
              .parallel()
              .mapToObj(this::finding)
              .flatMap(Optional::stream)
              .min(Comparator.comparingLong(FailingSeed::seed));
      if (first.isPresent()) {
        return first;
      }
    }
    return Optional.empty();
  }

  private Optional<FailingSeed> finding(long seed) {
    return new SimulationRun(universe, seed, weather(seed), EventTrace.NONE).outcome()
            instanceof Violated broken
        ? Optional.of(new FailingSeed(universe, seed, broken))
        : Optional.empty();
  }
}
