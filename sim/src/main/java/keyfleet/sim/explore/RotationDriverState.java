package keyfleet.sim.explore;

import keyfleet.crypto.KekVersion;
import keyfleet.keyring.RotationEvent;
import keyfleet.store.Fence;
import org.jspecify.annotations.Nullable;

/// A driver of the rotation. It does one thing at a time; what it means to do it may do much later,
/// when another has long taken over: then it is a zombie.
public record RotationDriverState(@Nullable Intent intent) {
  static final RotationDriverState IDLE = new RotationDriverState(null);

  public sealed interface Intent {}

  /// A record was read and is to move. Its compare-and-set fails if the record changed since.
  public record RewrapRecord(int record, KekVersion to, Freshness freshness) implements Intent {}

  /// A store is to be fenced, and then the keystore told.
  public record RaiseFence(Fence fence, RotationEvent.DriverEvent afterwards) implements Intent {}

  public record ReportEvent(RotationEvent.DriverEvent event) implements Intent {}

  public enum Freshness {
    UNCHANGED,
    CHANGED
  }

  /// What becomes of it when somebody writes `record`.
  RotationDriverState afterWriteTo(int record) {
    return intent instanceof RewrapRecord(int read, KekVersion to, _) && read == record
        ? new RotationDriverState(new RewrapRecord(record, to, Freshness.CHANGED))
        : this;
  }
}
