package keyfleet.rollout;

import java.util.List;
import java.util.Set;

/// What a rollout offers to nodes: a release, in which attempt first, and what it asks of them.
///
/// @param platforms that it is built for; none means that nobody asks
/// @param allowedFrom the versions that may take it; none means any
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
          "attempts count from 1, and a min protocol is not negative: "
              + attempt
              + ", "
              + minProtocol);
    }
  }

  /// One that asks for nothing.
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

  /// The same release once more, also to nodes that rolled it back (R17).
  public Offer again(int laterAttempt) {
    return new Offer(release, laterAttempt, minProtocol, platforms, allowedFrom);
  }

  boolean allowsFrom(Version running) {
    return VersionPattern.allow(allowedFrom, running);
  }
}
