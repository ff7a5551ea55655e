package keyfleet.sim;

import keyfleet.crypto.KekVersion;
import keyfleet.keyring.RotationEvent;
import keyfleet.store.Fence;
import org.jspecify.annotations.Nullable;

/// A driver of the rotation. It does one thing at a time; what it means to do it may do much later,
/// when another has long taken over: then it is a zombie.
public record Worker(@Nullable Intent intent) {
  static final Worker IDLE = new Worker(null);

  public sealed interface Intent {}

  /// A record was read and is to move. Its compare-and-set fails if the record changed since.
  public record Rewrap(int record, KekVersion to, Freshness freshness) implements Intent {}

  /// A store is to be fenced, and then the keystore told.
  public record Arm(Fence fence, RotationEvent.DriverEvent once) implements Intent {}

  public record Tell(RotationEvent.DriverEvent event) implements Intent {}

  public enum Freshness {
    UNCHANGED,
    CHANGED
  }

  /// What becomes of it when somebody writes `record`.
  Worker seeing(int record) {
    return intent instanceof Rewrap(int read, KekVersion to, _) && read == record
        ? new Worker(new Rewrap(record, to, Freshness.CHANGED))
        : this;
  }
}
