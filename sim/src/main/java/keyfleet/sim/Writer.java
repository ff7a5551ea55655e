package keyfleet.sim;

import keyfleet.crypto.KekVersion;
import org.jspecify.annotations.Nullable;

/// A process that seals values and writes them later: between the two it may sleep for as long as
/// it likes.
public record Writer(
    KekVersion current, long epoch, Lease lease, Wakefulness wakefulness, @Nullable Sealed sealed) {
  public enum Lease {
    HELD,
    RUN_OUT
  }

  public enum Wakefulness {
    AWAKE,
    ASLEEP
  }

  /// A value sealed under a version, on its way to a record.
  public record Sealed(int record, KekVersion version) {}

  static Writer fresh(KekVersion active, long epoch) {
    return new Writer(active, epoch, Lease.HELD, Wakefulness.AWAKE, null);
  }

  boolean isAwake() {
    return wakefulness == Wakefulness.AWAKE;
  }

  Writer reloaded(KekVersion active, long newEpoch) {
    return new Writer(active, newEpoch, Lease.HELD, wakefulness, sealed);
  }

  Writer holding(@Nullable Sealed value) {
    return new Writer(current, epoch, lease, wakefulness, value);
  }

  Writer turned(Wakefulness newWakefulness) {
    return new Writer(current, epoch, lease, newWakefulness, sealed);
  }

  Writer outOfLease() {
    return new Writer(current, epoch, Lease.RUN_OUT, wakefulness, sealed);
  }
}
