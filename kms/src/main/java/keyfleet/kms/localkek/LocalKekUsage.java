package keyfleet.kms.localkek;

/// Counts what local KEKs seal: rings when one is to be replaced, and ends its use in time.
public final class LocalKekUsage {
  private final LocalKekLimits limits;
  private final Runnable wakeReconciler;

  /// The bell is rung on an event loop: it must not wait.
  public LocalKekUsage(LocalKekLimits limits, Runnable wakeReconciler) {
    this.limits = limits;
    this.wakeReconciler = wakeReconciler;
  }

  /// Counts a use. False if it was one too many.
  public boolean tryUse(LocalKek kek) {
    if (kek.isExhausted()) {
      return false;
    }
    long use = kek.countUse();
    if (use == limits.softUses()) {
      wakeReconciler.run();
    }
    if (use >= limits.hardUses()) {
      kek.markExhausted();
      wakeReconciler.run();
    }
    return use <= limits.hardUses();
  }
}
