package keyfleet.kms.grpc;

import java.util.function.LongSupplier;

/// Limits how often the remote is asked to unwrap keys of key_ids that this plugin has not heard
/// of: such a value may come from a peer with a newer keystore, or be forged. A bucket of permits
/// that fills evenly. Safe for any number of threads.
final class UnwrapRateLimit {
  static final int MAX_BURST = 100;
  private static final long NANOS_PER_PERMIT = 100_000_000; // ten a second

  private final LongSupplier nanos;
  private long fullAtNanos;

  UnwrapRateLimit(LongSupplier nanos) {
    this.nanos = nanos;
    this.fullAtNanos = nanos.getAsLong();
  }

  /// Takes a permit, if there is one.
  synchronized boolean tryAcquire() {
    long now = nanos.getAsLong();
    long fullAt = fullAtNanos - now < 0 ? now : fullAtNanos;
    if (fullAt - now > (MAX_BURST - 1) * NANOS_PER_PERMIT) {
      return false;
    }
    fullAtNanos = fullAt + NANOS_PER_PERMIT;
    return true;
  }
}
