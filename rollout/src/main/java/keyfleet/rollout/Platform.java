package keyfleet.rollout;

import java.util.regex.Pattern;

/// An operating system and a processor architecture, such as `linux/amd64`.
public record Platform(String value) {
  private static final Pattern RULE = Pattern.compile("[a-z0-9]+/[a-z0-9_]+");

  public Platform {
    if (!RULE.matcher(value).matches()) {
      throw new IllegalArgumentException("not a platform (os/arch): " + value);
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
