package keyfleet.kms;

/// Whether each call is worth a line.
public enum CallLog {
  OFF,
  ON
}
