package keyfleet.rollout;

/// Whether a target matches a node, in Kleene's three-valued logic. UNKNOWN is never rounded: a
/// node with a missing fact is neither in the target nor in its negation. The truth table is in the
/// package's description.
public enum Match {
  YES,
  NO,
  UNKNOWN;

  static Match of(boolean known) {
    return known ? YES : NO;
  }

  public Match and(Match other) {
    if (this == NO || other == NO) {
      return NO;
    }
    return this == YES && other == YES ? YES : UNKNOWN;
  }

  public Match or(Match other) {
    return not().and(other.not()).not();
  }

  public Match not() {
    return switch (this) {
      case YES -> NO;
      case NO -> YES;
      case UNKNOWN -> UNKNOWN;
    };
  }
}
