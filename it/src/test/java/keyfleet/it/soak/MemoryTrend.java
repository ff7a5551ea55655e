package keyfleet.it.soak;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// The resident memory of one process over its life, in samples of one distance.
///
/// It is judged by thirds. In the first the heap fills and code is compiled, so it does not count.
/// From the second to the last the median may grow by 15 %: a collector's rhythm and a late
/// compilation stay below that, and a leak of a few bytes a call does not, at thousands a second.
/// Medians, as one sample may catch a peak.
final class MemoryTrend {
  private static final double MOST_GROWTH = 1.15;

  /// A life that is shorter has no third that is past its start.
  private static final Duration SHORTEST = Duration.ofSeconds(90);

  /// In bytes.
  record Figures(Duration life, long second, long last) {
    double growth() {
      return (double) last / second;
    }
  }

  private final Duration distance;
  private final List<Long> samples = new ArrayList<>();

  MemoryTrend(Duration distance) {
    this.distance = distance;
  }

  synchronized void add(long bytes) {
    samples.add(bytes);
  }

  synchronized Duration life() {
    return distance.multipliedBy(samples.size());
  }

  boolean isJudged() {
    return life().compareTo(SHORTEST) >= 0;
  }

  synchronized Figures figures() {
    int third = Math.max(1, samples.size() / 3);
    int size = samples.size();
    return new Figures(
        life(),
        median(samples.subList(Math.max(0, size - 2 * third), size - third)),
        median(samples.subList(size - third, size)));
  }

  private static long median(List<Long> of) {
    return of.isEmpty() ? 0 : of.stream().sorted().toList().get(of.size() / 2);
  }

  /// Throws [SoakFailure] if the process lived long enough and grew.
  void check() {
    Figures seen = figures();
    if (isJudged() && seen.growth() > MOST_GROWTH) {
      throw new SoakFailure(
          "a plugin that lived %d s grew from %,d to %,d bytes resident, medians of its second and"
                  .formatted(seen.life().toSeconds(), seen.second(), seen.last())
              + " its last third");
    }
  }
}
