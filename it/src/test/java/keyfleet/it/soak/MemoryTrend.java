package keyfleet.it.soak;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// The resident memory of one process over its lifetime, sampled at a fixed interval.
///
/// It is checked by thirds. In the first third the heap fills and code is compiled, so it does not
/// count. From the second third to the last the median may grow by 15 %: the garbage collector and
/// late compilations stay below that, while a leak of a few bytes per call exceeds it at thousands
/// of calls a second. Medians, because one sample may hit a peak.
final class MemoryTrend {
  private static final double MAX_GROWTH = 1.15;

  /// A shorter lifetime has no third without start-up effects.
  private static final Duration MIN_LIFETIME = Duration.ofSeconds(90);

  /// Median memory in bytes, in the second and the last third.
  record Figures(Duration lifetime, long second, long last) {
    double growth() {
      return (double) last / second;
    }
  }

  private final Duration interval;
  private final List<Long> samples = new ArrayList<>();

  MemoryTrend(Duration interval) {
    this.interval = interval;
  }

  synchronized void add(long bytes) {
    samples.add(bytes);
  }

  synchronized Duration lifetime() {
    return interval.multipliedBy(samples.size());
  }

  boolean isLongEnough() {
    return lifetime().compareTo(MIN_LIFETIME) >= 0;
  }

  synchronized Figures figures() {
    int third = Math.max(1, samples.size() / 3);
    int size = samples.size();
    return new Figures(
        lifetime(),
        median(samples.subList(Math.max(0, size - 2 * third), size - third)),
        median(samples.subList(size - third, size)));
  }

  private static long median(List<Long> of) {
    return of.isEmpty() ? 0 : of.stream().sorted().toList().get(of.size() / 2);
  }

  /// Throws [SoakFailure] if the process lived long enough and its memory grew.
  void check() {
    Figures figures = figures();
    if (isLongEnough() && figures.growth() > MAX_GROWTH) {
      throw new SoakFailure(
          "a plugin that ran for %d s grew from %,d to %,d bytes resident, medians of its second and"
                  .formatted(figures.lifetime().toSeconds(), figures.second(), figures.last())
              + " its last third");
    }
  }
}
