package keyfleet.rollout.release;

import java.util.List;
import java.util.regex.Pattern;
import keyfleet.rollout.ReleaseVersion;

/// The versions that an update may start from: one exactly (`1.4.2`), or all with a prefix up to a
/// dot (`1.*`).
public record VersionPattern(String value) {
  private static final Pattern RULE =
      Pattern.compile("[0-9A-Za-z][0-9A-Za-z.+_-]{0,63}(?:\\.\\*)?");

  public VersionPattern {
    if (!RULE.matcher(value).matches()) {
      throw new IllegalArgumentException("neither a version nor a prefix like 1.*: " + value);
    }
  }

  public boolean matches(ReleaseVersion version) {
    return value.endsWith("*")
        ? version.value().startsWith(value.substring(0, value.length() - 1))
        : version.value().equals(value);
  }

  /// Whether one of the patterns matches the version; without patterns any version is allowed.
  static boolean isAllowed(List<VersionPattern> patterns, ReleaseVersion running) {
    return patterns.isEmpty() || patterns.stream().anyMatch(it -> it.matches(running));
  }

  @Override
  public String toString() {
    return value;
  }
}
