package keyfleet.rollout;

import java.util.regex.Pattern;

/// The name of a release. Two versions are equal or not; which one is newer is the release
/// counter's word, not the name's.
public record Version(String value) {
  private static final Pattern RULE = Pattern.compile("[0-9A-Za-z][0-9A-Za-z.+_-]{0,63}");

  /// Stands for the version of a node that runs nothing yet.
  public static final Version NONE = new Version("none");

  public Version {
    if (!RULE.matcher(value).matches()) {
      throw new IllegalArgumentException("not a version: " + value);
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
