package keyfleet.rollout;

import java.util.regex.Pattern;

/// What a release replaces, such as `agent`. The name is part of keys and folder names, so it
/// allows few characters.
public record Component(String value) {
  private static final Pattern RULE = Pattern.compile("[a-z][a-z0-9-]{0,62}");

  public Component {
    if (!RULE.matcher(value).matches()) {
      throw new IllegalArgumentException("not a component: " + value);
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
