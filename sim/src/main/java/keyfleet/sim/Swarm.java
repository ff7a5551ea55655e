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

/// Runs many seeds on all cores.
final class Swarm {
  /// `failure` is null if no run violated an invariant.
  record Result(SwarmTotals totals, @Nullable FailingSeed failure) {}

  /// Seeds that run in parallel before the search looks for a failure.
  private static final int BLOCK = 64;

  private final FleetFactory factory;

  Swarm(FleetFactory factory) {
    this.factory = factory;
  }

  static FaultSchedule faultsOf(long seed) {
    return FaultSchedule.draw(SeededRandom.of(seed).forPurpose("weather"));
  }

  Result run(long from, long runs) {
    return run(LongStream.range(0, runs).map(i -> from + i).parallel());
  }

  /// As [#run], on the calling thread only.
  Result runOnOneThread(long from, long runs) {
    return run(LongStream.range(0, runs).map(i -> from + i));
  }

  private Result run(LongStream seeds) {
    AtomicReference<FailingSeed> lowest = new AtomicReference<>();
    SwarmTotals totals =
        seeds
            .mapToObj(seed -> lowest.get() == null ? runSeed(seed, lowest) : SwarmTotals.NONE)
            .reduce(SwarmTotals.NONE, SwarmTotals::plus);
    return new Result(totals, lowest.get());
  }

  private SwarmTotals runSeed(long seed, AtomicReference<FailingSeed> lowest) {
    FaultSchedule faults = faultsOf(seed);
    Outcome outcome = new SimulationRun(factory, seed, faults, EventTrace.NONE).execute();
    if (outcome instanceof Violated violated) {
      FailingSeed failure = new FailingSeed(factory, seed, violated);
      lowest.accumulateAndGet(failure, (a, b) -> a != null && a.seed() <= b.seed() ? a : b);
    }
    return SwarmTotals.of(faults, outcome);
  }

  /// The lowest of `runs` seeds that violates an invariant.
  Optional<FailingSeed> findFirst(long from, long runs) {
    for (long block = 0; block < runs; block += BLOCK) {
      Optional<FailingSeed> first =
          LongStream.range(from + block, from + Math.min(runs, block + BLOCK))
              .parallel()
              .mapToObj(this::findFailure)
              .flatMap(Optional::stream)
              .min(Comparator.comparingLong(FailingSeed::seed));
      if (first.isPresent()) {
        return first;
      }
    }
    return Optional.empty();
  }

  private Optional<FailingSeed> findFailure(long seed) {
    return new SimulationRun(factory, seed, faultsOf(seed), EventTrace.NONE).execute()
            instanceof Violated violated
        ? Optional.of(new FailingSeed(factory, seed, violated))
        : Optional.empty();
  }
}
