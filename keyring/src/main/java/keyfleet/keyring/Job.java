package keyfleet.keyring;

import keyfleet.crypto.KekVersion;

/// What a rotation is about, and who drives it just now.
public record Job(RotationId id, KekVersion from, KekVersion to, Course course, String driver) {
  /// A rotation that was aborted after records had moved goes back the way it came.
  public enum Course {
    FORWARD,
    TURNED
  }

  public Job {
    if (from.equals(to)) {
      throw new IllegalArgumentException(
          "a rotation goes from one version to another, not " + from);
    }
  }

  Job turned() {
    return new Job(id, to, from, Course.TURNED, driver);
  }

  Job drivenBy(String newDriver) {
    return new Job(id, from, to, course, newDriver);
  }
}
