package keyfleet.keyring;

import keyfleet.crypto.KekVersion;
import keyfleet.keyring.FleetReadiness.ExpectedProcesses;

/// What a rotation is about, and who drives it just now.
///
/// @param expected who has to be there when its gate is asked, whichever worker asks it
public record RotationJob(
    RotationId id,
    Kind kind,
    KekVersion from,
    KekVersion to,
    ExpectedProcesses expectedProcesses,
    Course course,
    String driver) {
  /// The driver of a rotation that was ordered and not yet taken up: the first worker that sees it
  /// may.
  public static final String NO_DRIVER = "";

  /// What is to become of the records.
  public enum Kind {
    /// Their data keys are wrapped anew; the data stays as it is.
    ROTATION,
    /// The old version is in other hands, and so is every data key that it wrapped: records are
    /// encrypted anew, and the old version never comes back.
    REVOCATION,
    /// Nothing: the gate is tried, and the new version un-staged.
    DRY_RUN
  }

  /// A rotation that was aborted after records had moved goes back the way it came.
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
