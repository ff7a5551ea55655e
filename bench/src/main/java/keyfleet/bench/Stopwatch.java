package keyfleet.bench;

import java.util.Arrays;
import java.util.function.LongSupplier;

/// Measures durations with the clock that it was given.
record Stopwatch(LongSupplier nanos) {
  /// The measured work. If it fails, so does the measurement.
  @FunctionalInterface
  interface Work {
    void run() throws Exception;
  }

  private static final double NANOS = 1e9;

  /// Runs the work and returns how long it took, in seconds.
  double seconds(Work work) throws Exception {
    long from = nanos.getAsLong();
    work.run();
    return since(from);
  }

  double since(long from) {
    return (nanos.getAsLong() - from) / NANOS;
  }

  static double median(double... values) {
    return quantile(0.5, values);
  }

  /// The value below which this share of the values lies.
  static double quantile(double share, double... values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[(int) Math.min(sorted.length - 1.0, Math.floor(share * sorted.length))];
  }
}
