package keyfleet.kms.localkek;

/// Counts what local KEKs seal: rings when one is to be replaced, and ends its use in time.
public final class LocalKekUsage {
  private final LocalKekLimits limits;
  private final Runnable bell;

  /// The bell is rung on an event loop: it must not wait.
  public LocalKekUsage(LocalKekLimits limits, Runnable bell) {
    this.limits = limits;
    this.bell = bell;
  }

  /// Counts a use. False if it was one too many.
  public boolean admits(LocalKek kek) {
    if (kek.isSpent()) {
      return false;
    }
    long use = kek.use();
    if (use == limits.softUses()) {
      bell.run();
    }
    if (use >= limits.hardUses()) {
      kek.spend();
      bell.run();
    }
    return use <= limits.hardUses();
  }
}
