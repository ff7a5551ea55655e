package keyfleet.rollout.target;

/// Whether a target matches a node, in Kleene's three-valued logic. UNKNOWN is never rounded: a
/// node with a missing fact is neither in the target nor in its negation. The truth table is in the
/// package's description.
public enum TargetMatch {
  YES,
  NO,
  UNKNOWN;

  static TargetMatch of(boolean known) {
    return known ? YES : NO;
  }

  public TargetMatch and(TargetMatch other) {
    if (this == NO || other == NO) {
      return NO;
    }
    return this == YES && other == YES ? YES : UNKNOWN;
  }

  public TargetMatch or(TargetMatch other) {
    return not().and(other.not()).not();
  }

  public TargetMatch not() {
    return switch (this) {
      case YES -> NO;
      case NO -> YES;
      case UNKNOWN -> UNKNOWN;
    };
  }
}
