package keyfleet.kms.localkek;

import java.time.Duration;

/// The limits of one local KEK in values and age, and the size of the cache.
///
/// @param softUses after this many values it is replaced; it may seal until then
/// @param hardUses after this many values it may no longer seal
/// @param maxAge after this long it is replaced; after twice as long it may no longer seal
/// @param cacheSize how many local KEKs stay in memory
public record LocalKekLimits(long softUses, long hardUses, Duration maxAge, int cacheSize) {
  /// The most values that one AES-GCM key may seal with random nonces: far below the 2^32 of NIST
  /// SP 800-38D.
  private static final long MAX_USES = (1 << 22) - 1;

  private static final int MAX_CACHE_SIZE = 1_000_000;

  public static final LocalKekLimits DEFAULT =
      new LocalKekLimits(1 << 21, MAX_USES, Duration.ofDays(7), 1_000);

  public LocalKekLimits {
    if (softUses < 1 || softUses > hardUses || hardUses > MAX_USES) {
      throw new IllegalArgumentException(
          "the limits of uses must be 1 <= soft <= hard <= %d, not %d and %d"
              .formatted(MAX_USES, softUses, hardUses));
    }
    if (maxAge.compareTo(Duration.ofSeconds(1)) < 0 || maxAge.compareTo(Duration.ofDays(365)) > 0) {
      throw new IllegalArgumentException("the age limit must be 1s to 365d, not " + maxAge);
    }
    if (cacheSize < 1 || cacheSize > MAX_CACHE_SIZE) {
      throw new IllegalArgumentException(
          "the cache size must be 1 to %d, not %d".formatted(MAX_CACHE_SIZE, cacheSize));
    }
  }

  /// How close a local KEK is to its limits.
  public enum Lifetime {
    FRESH,
    /// Due for replacement; it may still seal meanwhile.
    DUE,
    /// It may no longer seal.
    EXHAUSTED
  }

  public Lifetime lifetime(long uses, Duration elapsed) {
    if (uses >= hardUses || elapsed.compareTo(maxAge.multipliedBy(2)) >= 0) {
      return Lifetime.EXHAUSTED;
    }
    return uses >= softUses || elapsed.compareTo(maxAge) >= 0 ? Lifetime.DUE : Lifetime.FRESH;
  }
}
