package keyfleet.sim.explore;

import keyfleet.crypto.KekVersion;
import keyfleet.keyring.RotationEvent;
import keyfleet.store.Fence;
import org.jspecify.annotations.Nullable;

/// A driver of the rotation. It does one thing at a time, and may act on its intent much later,
/// after another driver has taken over.
public record RotationDriverState(@Nullable Intent intent) {
  static final RotationDriverState IDLE = new RotationDriverState(null);

  public sealed interface Intent {}

  /// Rewrap a record that was read. Its compare-and-set fails if the record has changed since.
  public record RewrapRecord(int record, KekVersion to, Freshness freshness) implements Intent {}

  /// Raise a fence, and afterwards report an event to the keystore.
  public record RaiseFence(Fence fence, RotationEvent.DriverEvent afterwards) implements Intent {}

  public record ReportEvent(RotationEvent.DriverEvent event) implements Intent {}

  public enum Freshness {
    UNCHANGED,
    CHANGED
  }

  /// This driver after a write to `record`.
  RotationDriverState afterWriteTo(int record) {
    return intent instanceof RewrapRecord(int read, KekVersion to, _) && read == record
        ? new RotationDriverState(new RewrapRecord(record, to, Freshness.CHANGED))
        : this;
  }
}
