package keyfleet.kms.localkek;

/// Counts the uses of local KEKs, wakes the reconciler when one is due for replacement, and stops
/// its use at the hard limit.
public final class LocalKekUsage {
  private final LocalKekLimits limits;
  private final Runnable wakeReconciler;

  /// `wakeReconciler` is called on an event loop and must not block.
  public LocalKekUsage(LocalKekLimits limits, Runnable wakeReconciler) {
    this.limits = limits;
    this.wakeReconciler = wakeReconciler;
  }

  /// Counts a use. Returns false if the local KEK may no longer be used.
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
