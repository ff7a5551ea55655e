package keyfleet.rollout;

import java.util.regex.Pattern;

/// The name of a host under a watchdog. It is part of a key in every store, so it uses the
/// characters that the most restrictive store (NATS) accepts: dots separate parts, and no part is
/// empty.
public record NodeId(String value) implements Comparable<NodeId> {
  public static final int MAX_LENGTH = 255;

  private static final Pattern RULE =
      Pattern.compile("[A-Za-z0-9/_=-]++(?:\\.[A-Za-z0-9/_=-]++)*+");

  public NodeId {
    if (!isValid(value)) {
      throw new IllegalArgumentException("not a node id: " + value);
    }
  }

  public static boolean isValid(String value) {
    return value.length() <= MAX_LENGTH && RULE.matcher(value).matches();
  }

  @Override
  public int compareTo(NodeId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
