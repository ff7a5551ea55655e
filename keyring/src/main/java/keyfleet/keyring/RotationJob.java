package keyfleet.keyring;

import keyfleet.crypto.KekVersion;
import keyfleet.keyring.ReadinessGate.ExpectedProcesses;

/// The task of a rotation and its current driver.
///
/// @param expectedProcesses the processes that must be present when any worker evaluates the gate
public record RotationJob(
    RotationId id,
    Kind kind,
    KekVersion from,
    KekVersion to,
    ExpectedProcesses expectedProcesses,
    Course course,
    String driver) {
  /// The driver of a rotation that was requested and not yet adopted: the first worker that sees it
  /// may adopt it.
  public static final String NO_DRIVER = "";

  /// What the rotation does with the records.
  public enum Kind {
    /// Wraps their data keys again; the data stays as it is.
    ROTATION,
    /// The old version is compromised, and so is every data key that it wrapped: records are
    /// encrypted again, and the old version cannot be used again.
    REVOCATION,
    /// Nothing: it evaluates the gate and un-stages the new version.
    DRY_RUN
  }

  /// `TURNED` is a rotation that was aborted after records had moved: it moves them back.
  public enum Course {
    FORWARD,
    TURNED
  }

  public RotationJob {
    if (from.equals(to)) {
      throw new IllegalArgumentException(
          "a rotation goes from one version to another, not " + from);
    }
  }

  public boolean isDrivenBy(String name) {
    return driver.equals(name);
  }

  RotationJob withCourseTurned() {
    return new RotationJob(id, kind, to, from, expectedProcesses, Course.TURNED, driver);
  }

  RotationJob withDriver(String newDriver) {
    return new RotationJob(id, kind, from, to, expectedProcesses, course, newDriver);
  }
}
