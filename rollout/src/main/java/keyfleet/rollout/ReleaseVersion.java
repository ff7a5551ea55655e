package keyfleet.rollout;

import java.util.regex.Pattern;

/// The name of a release. Two versions are equal or not; only the release counter says which one is
/// newer.
public record ReleaseVersion(String value) {
  private static final Pattern RULE = Pattern.compile("[0-9A-Za-z][0-9A-Za-z.+_-]{0,63}");

  /// The version of a node that runs nothing yet.
  public static final ReleaseVersion NONE = new ReleaseVersion("none");

  public ReleaseVersion {
    if (!RULE.matcher(value).matches()) {
      throw new IllegalArgumentException("not a version: " + value);
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
