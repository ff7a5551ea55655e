package keyfleet.rollout.release;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import keyfleet.rollout.CanonicalEncoder;
import keyfleet.rollout.Component;
import keyfleet.rollout.Platform;
import keyfleet.rollout.ReleaseVersion;
import keyfleet.rollout.Sha256;

/// What a release is, and which nodes may take it. An empty `allowedFrom` allows any version;
/// `expiry` blocks only new updates; `counter` orders the releases of a component.
public record ReleaseManifest(
    Component component,
    ReleaseVersion version,
    Platform platform,
    Sha256 artifact,
    long size,
    int minProtocol,
    List<VersionPattern> allowedFrom,
    Instant expiry,
    long counter) {
  public static final int MAX_ALLOWED_FROM = 256;

  public ReleaseManifest {
    allowedFrom = List.copyOf(allowedFrom);
    if (size < 1) {
      throw new IllegalArgumentException("an artifact has at least 1 byte, not " + size);
    }
    if (minProtocol < 0 || counter < 0) {
      throw new IllegalArgumentException(
          "min protocol and counter must not be negative: " + minProtocol + ", " + counter);
    }
    if (allowedFrom.size() > MAX_ALLOWED_FROM) {
      throw new IllegalArgumentException(
          "at most " + MAX_ALLOWED_FROM + " allowed-from versions, not " + allowedFrom.size());
    }
    if (!expiry.truncatedTo(ChronoUnit.SECONDS).equals(expiry)) {
      throw new IllegalArgumentException("an expiry must be in whole seconds, not " + expiry);
    }
  }

  /// The bytes that are signed. The layout is in the package's description.
  public byte[] signedBytes() {
    return new CanonicalEncoder("keyfleet-manifest-1")
        .addText(component.value())
        .addText(version.value())
        .addText(platform.value())
        .addDigest(artifact)
        .addLong(size)
        .addInt(minProtocol)
        .addTexts(allowedFrom)
        .addLong(expiry.getEpochSecond())
        .addLong(counter)
        .toBytes();
  }

  /// The digest that commands use. The artifact's digest alone would not cover which nodes may take
  /// the release.
  public Sha256 digest() {
    return Sha256.of(signedBytes());
  }

  boolean canUpdateFrom(ReleaseVersion running) {
    return VersionPattern.isAllowed(allowedFrom, running);
  }
}
