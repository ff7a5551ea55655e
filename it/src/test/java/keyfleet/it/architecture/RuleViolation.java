package keyfleet.it.architecture;

import java.util.Comparator;

/// A line that violates a rule, and a description.
record RuleViolation(String path, int line, String words) implements Comparable<RuleViolation> {
  private static final Comparator<RuleViolation> BY_PLACE =
      Comparator.comparing(RuleViolation::path)
          .thenComparingInt(RuleViolation::line)
          .thenComparing(RuleViolation::words);

  @Override
  public int compareTo(RuleViolation other) {
    return BY_PLACE.compare(this, other);
  }
}
