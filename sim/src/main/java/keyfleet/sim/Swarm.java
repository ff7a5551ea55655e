package keyfleet.sim;

import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import keyfleet.sim.Run.Broken;
import keyfleet.sim.Run.Outcome;
import org.jspecify.annotations.Nullable;

/// Many runs, one a seed, on all cores.
final class Swarm {
  /// `finding` is null if every promise was kept.
  record Result(Tally tally, @Nullable Finding finding) {}

  /// Seeds that are looked at side by side.
  private static final int BLOCK = 64;

  private final Universe universe;

  Swarm(Universe universe) {
    this.universe = universe;
  }

  static Weather weather(long seed) {
    return Weather.drawn(Dice.of(seed).named("weather"));
  }

  Result run(long from, long runs) {
    return run(LongStream.range(0, runs).map(i -> from + i).parallel());
  }

  /// As [#run], in this thread alone.
  Result runAlone(long from, long runs) {
    return run(LongStream.range(0, runs).map(i -> from + i));
  }

  private Result run(LongStream seeds) {
    AtomicReference<Finding> lowest = new AtomicReference<>();
    Tally tally =
        seeds
            .mapToObj(seed -> lowest.get() == null ? one(seed, lowest) : Tally.NONE)
            .reduce(Tally.NONE, Tally::plus);
    return new Result(tally, lowest.get());
  }

  private Tally one(long seed, AtomicReference<Finding> lowest) {
    Weather weather = weather(seed);
    Outcome outcome = new Run(universe, seed, weather, Diary.NONE).outcome();
    if (outcome instanceof Broken broken) {
      Finding finding = new Finding(universe, seed, broken);
      lowest.accumulateAndGet(finding, (a, b) -> a != null && a.seed() <= b.seed() ? a : b);
    }
    return Tally.of(weather, outcome);
  }

  /// The lowest of `runs` seeds that breaks a promise.
  Optional<Finding> first(long from, long runs) {
    for (long block = 0; block < runs; block += BLOCK) {
      Optional<Finding> first =
          LongStream.range(from + block, from + Math.min(runs, block + BLOCK))
              .parallel()
              .mapToObj(this::finding)
              .flatMap(Optional::stream)
              .min(Comparator.comparingLong(Finding::seed));
      if (first.isPresent()) {
        return first;
      }
    }
    return Optional.empty();
  }

  private Optional<Finding> finding(long seed) {
    return new Run(universe, seed, weather(seed), Diary.NONE).outcome() instanceof Broken broken
        ? Optional.of(new Finding(universe, seed, broken))
        : Optional.empty();
  }
}
