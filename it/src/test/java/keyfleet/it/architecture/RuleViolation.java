package keyfleet.it.architecture;

import java.util.Comparator;

/// A line that violates a rule, and the reason.
record RuleViolation(String path, int line, String message) implements Comparable<RuleViolation> {
  private static final Comparator<RuleViolation> BY_POSITION =
      Comparator.comparing(RuleViolation::path)
          .thenComparingInt(RuleViolation::line)
          .thenComparing(RuleViolation::message);

  @Override
  public int compareTo(RuleViolation other) {
    return BY_POSITION.compare(this, other);
  }
}
