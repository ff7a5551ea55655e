package keyfleet.keyring;

import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Job.Kind;
import keyfleet.keyring.Readiness.Anyone;
import keyfleet.keyring.Readiness.Expected;

/// What happens to a rotation: an order of an operator, or what its driver found done.
public sealed interface Event {
  record StartOrdered(
      RotationId id, Kind kind, KekVersion from, KekVersion to, Expected expected, String driver)
      implements Event {
    /// A rotation of whoever is there.
    public StartOrdered(RotationId id, KekVersion from, KekVersion to, String driver) {
      this(id, Kind.ROTATION, from, to, new Anyone(), driver);
    }
  }

  record PauseOrdered() implements Event {}

  record ResumeOrdered() implements Event {}

  record AbortOrdered() implements Event {}

  /// A worker takes over from a driver that has been silent for the adopt time, or from nobody.
  record Adopted(RotationId id, String driver) implements Event {}

  /// What a driver says of its work. It holds for one rotation in one epoch.
  sealed interface Driven extends Event {
    Of of();
  }

  /// The rotation and epoch that a driver had read when it began the work.
  record Of(RotationId id, long epoch) {}

  /// The fleet is not ready, or the run was a dry one.
  record Unstaged(Of of) implements Driven {}

  record GatePassed(Of of) implements Driven {}

  /// Every registered collection takes both versions.
  record Opened(Of of) implements Driven {}

  /// One pass is through, and the gate passed once more.
  record PassEnded(Of of) implements Driven {}

  record Settled(Of of) implements Driven {}

  /// Every registered collection has the fence of this epoch.
  record Fenced(Of of) implements Driven {}

  record SweepEnded(Of of) implements Driven {}

  record LedgerStuck(Of of, long failedRecords) implements Driven {}

  record LedgerMended(Of of) implements Driven {}

  /// The census found records under an old version.
  record Straggled(Of of) implements Driven {}

  /// The census of every registered collection, read from the primary, found none.
  record Proved(Of of) implements Driven {}
}
