package keyfleet.kms.localkek;

import java.time.Duration;

/// For how many values and how long one local KEK is used.
///
/// @param softUses after so many it is replaced, while it goes on
/// @param hardUses after so many it seals nothing any more
/// @param age after this long it is replaced; after twice as long it seals nothing any more
/// @param cached how many that were unwrapped are kept
public record LocalKekLimits(long softUses, long hardUses, Duration age, int cached) {
  /// Values that one AES-GCM key may seal under random nonces, and far below the book's 2^32.
  private static final long MOST = (1 << 22) - 1;

  private static final int MOST_CACHED = 1_000_000;

  public static final LocalKekLimits DEFAULT =
      new LocalKekLimits(1 << 21, MOST, Duration.ofDays(7), 1_000);

  public LocalKekLimits {
    if (softUses < 1 || softUses > hardUses || hardUses > MOST) {
      throw new IllegalArgumentException(
          "uses are 1 <= soft <= hard <= %d, not %d and %d".formatted(MOST, softUses, hardUses));
    }
    if (age.compareTo(Duration.ofSeconds(1)) < 0 || age.compareTo(Duration.ofDays(365)) > 0) {
      throw new IllegalArgumentException("an age is from 1s to 365d, not " + age);
    }
    if (cached < 1 || cached > MOST_CACHED) {
      throw new IllegalArgumentException(
          "a cache holds from 1 to %d, not %d".formatted(MOST_CACHED, cached));
    }
  }

  /// How far a local KEK is used up.
  public enum Lifetime {
    FRESH,
    /// To be replaced; it goes on meanwhile.
    DUE,
    /// It seals nothing any more.
    SPENT
  }

  public Lifetime wear(long uses, Duration since) {
    if (uses >= hardUses || since.compareTo(age.multipliedBy(2)) >= 0) {
      return Lifetime.SPENT;
    }
    return uses >= softUses || since.compareTo(age) >= 0 ? Lifetime.DUE : Lifetime.FRESH;
  }
}
