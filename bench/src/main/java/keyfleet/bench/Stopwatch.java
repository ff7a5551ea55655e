package keyfleet.bench;

import java.util.Arrays;
import java.util.function.LongSupplier;

/// How long things take, by the clock that the wiring handed over.
record Stopwatch(LongSupplier nanos) {
  /// Something that is measured; it may fail, and then so does the measurement.
  @FunctionalInterface
  interface Work {
    void run() throws Exception;
  }

  private static final double NANOS = 1e9;

  /// In seconds.
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

  /// The smallest value that is not exceeded by this share of them.
  static double quantile(double share, double... values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[(int) Math.min(sorted.length - 1.0, Math.floor(share * sorted.length))];
  }
}
