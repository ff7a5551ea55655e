package keyfleet.keyring;

import keyfleet.crypto.KekVersion;
import keyfleet.keyring.FleetReadiness.AnyProcesses;
import keyfleet.keyring.FleetReadiness.ExpectedProcesses;
import keyfleet.keyring.RotationJob.Kind;

/// What happens to a rotation: an order of an operator, or what its driver found done.
public sealed interface RotationEvent {
  record StartRequested(
      RotationId id,
      Kind kind,
      KekVersion from,
      KekVersion to,
      ExpectedProcesses expectedProcesses,
      String driver)
      implements RotationEvent {
    /// A rotation of whoever is there.
    public StartRequested(RotationId id, KekVersion from, KekVersion to, String driver) {
      this(id, Kind.ROTATION, from, to, new AnyProcesses(), driver);
    }
  }

  record PauseRequested() implements RotationEvent {}

  record ResumeRequested() implements RotationEvent {}

  record AbortRequested() implements RotationEvent {}

  /// A worker takes over from a driver that has been silent for the adopt time, or from nobody.
  record Adopted(RotationId id, String driver) implements RotationEvent {}

  /// What a driver says of its work. It holds for one rotation in one epoch.
  sealed interface DriverEvent extends RotationEvent {
    RotationEpoch at();
  }

  /// The rotation and epoch that a driver had read when it began the work.
  record RotationEpoch(RotationId id, long epoch) {}

  /// The fleet is not ready, or the run was a dry one.
  record Unstaged(RotationEpoch at) implements DriverEvent {}

  record GatePassed(RotationEpoch at) implements DriverEvent {}

  /// Every registered collection takes both versions.
  record FencesOpened(RotationEpoch at) implements DriverEvent {}

  /// One pass is through, and the gate passed once more.
  record RewrapEnded(RotationEpoch at) implements DriverEvent {}

  record Settled(RotationEpoch at) implements DriverEvent {}

  /// Every registered collection has the fence of this epoch.
  record Fenced(RotationEpoch at) implements DriverEvent {}

  record SweepEnded(RotationEpoch at) implements DriverEvent {}

  record RecordsBlocked(RotationEpoch at, long failedRecords) implements DriverEvent {}

  record RecordsRepaired(RotationEpoch at) implements DriverEvent {}

  /// The census found records under an old version.
  record OldRecordsFound(RotationEpoch at) implements DriverEvent {}

  /// The census of every registered collection, read from the primary, found none.
  record Proved(RotationEpoch at) implements DriverEvent {}
}
