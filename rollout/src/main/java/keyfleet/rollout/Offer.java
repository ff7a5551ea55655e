package keyfleet.rollout;

import java.util.Set;

/// What a rollout offers to nodes: a release, in which attempt first, and what it asks of them.
///
/// @param platforms that it is built for; none means that nobody asks
public record Offer(Sha256 release, int attempt, int minProtocol, Set<Platform> platforms) {
  public Offer {
    platforms = Set.copyOf(platforms);
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
    return new Offer(release, attempt, 0, Set.of());
  }

  public static Offer of(Manifest manifest, int attempt) {
    return new Offer(
        manifest.digest(), attempt, manifest.minProtocol(), Set.of(manifest.platform()));
  }

  /// The same release once more, also to nodes that rolled it back (R17).
  public Offer again(int laterAttempt) {
    return new Offer(release, laterAttempt, minProtocol, platforms);
  }
}
