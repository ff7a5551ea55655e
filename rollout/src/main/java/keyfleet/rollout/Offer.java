package keyfleet.rollout;

import java.util.List;
import java.util.Set;

/// The release that a rollout offers to nodes, the number of its first attempt, and what it
/// requires of them.
///
/// @param platforms the platforms that it is built for; if empty, the platform is not checked
/// @param allowedFrom the versions that may be updated; if empty, any
public record Offer(
    Sha256 release,
    int attempt,
    int minProtocol,
    Set<Platform> platforms,
    List<VersionPattern> allowedFrom) {
  public Offer {
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
  public static Offer of(Sha256 release, int attempt) {
    return new Offer(release, attempt, 0, Set.of(), List.of());
  }

  public static Offer of(Manifest manifest, int attempt) {
    return new Offer(
        manifest.digest(),
        attempt,
        manifest.minProtocol(),
        Set.of(manifest.platform()),
        manifest.allowedFrom());
  }

  /// The same release again, also for nodes that rolled it back (R17).
  public Offer again(int laterAttempt) {
    return new Offer(release, laterAttempt, minProtocol, platforms, allowedFrom);
  }

  boolean allowsFrom(Version running) {
    return VersionPattern.allow(allowedFrom, running);
  }
}
