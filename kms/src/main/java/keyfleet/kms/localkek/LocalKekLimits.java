package keyfleet.kms.localkek;

import java.time.Duration;

/// For how many values and how long one local KEK is used.
///
/// @param softUses after so many it is replaced, while it goes on
/// @param hardUses after so many it seals nothing any more
/// @param age after this long it is replaced; after twice as long it seals nothing any more
/// @param cached how many that were unwrapped are kept
public record LocalKekLimits(long softUses, long hardUses, Duration maxAge, int cacheSize) {
  /// Values that one AES-GCM key may seal under random nonces, and far below the book's 2^32.
  private static final long MAX_USES = (1 << 22) - 1;

  private static final int MAX_CACHE_SIZE = 1_000_000;

  public static final LocalKekLimits DEFAULT =
      new LocalKekLimits(1 << 21, MAX_USES, Duration.ofDays(7), 1_000);

  public LocalKekLimits {
    if (softUses < 1 || softUses > hardUses || hardUses > MAX_USES) {
      throw new IllegalArgumentException(
          "uses are 1 <= soft <= hard <= %d, not %d and %d"
              .formatted(MAX_USES, softUses, hardUses));
    }
    if (maxAge.compareTo(Duration.ofSeconds(1)) < 0 || maxAge.compareTo(Duration.ofDays(365)) > 0) {
      throw new IllegalArgumentException("an age is from 1s to 365d, not " + maxAge);
    }
    if (cacheSize < 1 || cacheSize > MAX_CACHE_SIZE) {
      throw new IllegalArgumentException(
          "a cache holds from 1 to %d, not %d".formatted(MAX_CACHE_SIZE, cacheSize));
    }
  }

  /// How far a local KEK is used up.
  public enum Lifetime {
    FRESH,
    /// To be replaced; it goes on meanwhile.
    DUE,
    /// It seals nothing any more.
    EXHAUSTED
  }

  public Lifetime lifetime(long uses, Duration elapsed) {
    if (uses >= hardUses || elapsed.compareTo(maxAge.multipliedBy(2)) >= 0) {
      return Lifetime.EXHAUSTED;
    }
    return uses >= softUses || elapsed.compareTo(maxAge) >= 0 ? Lifetime.DUE : Lifetime.FRESH;
  }
}
