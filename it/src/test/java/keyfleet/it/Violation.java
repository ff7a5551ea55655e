package keyfleet.it;

import java.util.Comparator;

/// A line that breaks a rule, and in words how.
record Violation(String path, int line, String words) implements Comparable<Violation> {
  private static final Comparator<Violation> BY_PLACE =
      Comparator.comparing(Violation::path)
          .thenComparingInt(Violation::line)
          .thenComparing(Violation::words);

  @Override
  public int compareTo(Violation other) {
    return BY_PLACE.compare(this, other);
  }
}
