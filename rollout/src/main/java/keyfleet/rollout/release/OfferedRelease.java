package keyfleet.rollout.release;

import java.util.List;
import java.util.Set;
import keyfleet.rollout.Platform;
import keyfleet.rollout.ReleaseVersion;
import keyfleet.rollout.Sha256;

/// The release that a rollout offers to nodes, the number of its first attempt, and what it
/// requires of them.
///
/// @param platforms the platforms that it is built for; if empty, the platform is not checked
/// @param allowedFrom the versions that may be updated; if empty, any
public record OfferedRelease(
    Sha256 release,
    int attempt,
    int minProtocol,
    Set<Platform> platforms,
    List<VersionPattern> allowedFrom) {
  public OfferedRelease {
    platforms = Set.copyOf(platforms);
    allowedFrom = List.copyOf(allowedFrom);
    if (attempt < 1 || minProtocol < 0) {
      throw new IllegalArgumentException(
          "attempts start at 1, and a min protocol must not be negative: "
              + attempt
              + ", "
              + minProtocol);
    }
  }

  /// A release without requirements.
  public static OfferedRelease of(Sha256 release, int attempt) {
    return new OfferedRelease(release, attempt, 0, Set.of(), List.of());
  }

  public static OfferedRelease of(ReleaseManifest manifest, int attempt) {
    return new OfferedRelease(
        manifest.digest(),
        attempt,
        manifest.minProtocol(),
        Set.of(manifest.platform()),
        manifest.allowedFrom());
  }

  /// The same release again, also for nodes that rolled it back (R17).
  public OfferedRelease withAttempt(int laterAttempt) {
    return new OfferedRelease(release, laterAttempt, minProtocol, platforms, allowedFrom);
  }

  public boolean canUpdateFrom(ReleaseVersion running) {
    return VersionPattern.isAllowed(allowedFrom, running);
  }
}
