package keyfleet.rollout;

import java.util.regex.Pattern;

/// The id of one rollout, never used again. It is one word of a key in every store, so it allows
/// few characters.
public record RolloutId(String value) implements Comparable<RolloutId> {
  private static final Pattern RULE = Pattern.compile("[A-Za-z0-9_-]{1,64}");

  public RolloutId {
    if (!isValid(value)) {
      throw new IllegalArgumentException("not a rollout id: " + value);
    }
  }

  public static boolean isValid(String value) {
    return RULE.matcher(value).matches();
  }

  @Override
  public int compareTo(RolloutId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
