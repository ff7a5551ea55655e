package keyfleet.keyring;

import keyfleet.crypto.KekVersion;
import keyfleet.keyring.ReadinessGate.AnyProcesses;
import keyfleet.keyring.ReadinessGate.ExpectedProcesses;
import keyfleet.keyring.RotationJob.Kind;

/// An event in a rotation: a request of an operator, or a result that its driver reports.
public sealed interface RotationEvent {
  record StartRequested(
      RotationId id,
      Kind kind,
      KekVersion from,
      KekVersion to,
      ExpectedProcesses expectedProcesses,
      String driver)
      implements RotationEvent {
    /// A rotation that expects no particular processes.
    public StartRequested(RotationId id, KekVersion from, KekVersion to, String driver) {
      this(id, Kind.ROTATION, from, to, new AnyProcesses(), driver);
    }
  }

  record PauseRequested() implements RotationEvent {}

  record ResumeRequested() implements RotationEvent {}

  record AbortRequested() implements RotationEvent {}

  /// A worker takes over from a driver that was silent for the adopt time, or takes a rotation
  /// without a driver.
  record Adopted(RotationId id, String driver) implements RotationEvent {}

  /// A result that a driver reports. It applies to one rotation in one epoch.
  sealed interface DriverEvent extends RotationEvent {
    RotationEpoch at();
  }

  /// The rotation and epoch that the driver read when it began the work.
  record RotationEpoch(RotationId id, long epoch) {}

  /// The fleet is not ready, or this was a dry run.
  record Unstaged(RotationEpoch at) implements DriverEvent {}

  record GatePassed(RotationEpoch at) implements DriverEvent {}

  /// Every registered collection accepts both versions.
  record FencesOpened(RotationEpoch at) implements DriverEvent {}

  /// One pass is complete, and the gate passed once more.
  record RewrapEnded(RotationEpoch at) implements DriverEvent {}

  record Settled(RotationEpoch at) implements DriverEvent {}

  /// Every registered collection has the fence of this epoch.
  record Fenced(RotationEpoch at) implements DriverEvent {}

  record SweepEnded(RotationEpoch at) implements DriverEvent {}

  record RecordsBlocked(RotationEpoch at, long failedRecords) implements DriverEvent {}

  record RecordsRepaired(RotationEpoch at) implements DriverEvent {}

  /// The census found records under an old version.
  record OldRecordsFound(RotationEpoch at) implements DriverEvent {}

  /// The census of every registered collection, read from the primary, found no such records.
  record Proved(RotationEpoch at) implements DriverEvent {}
}
