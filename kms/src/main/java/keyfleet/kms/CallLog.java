package keyfleet.kms;

/// Whether the plugin logs a line for each call.
public enum CallLog {
  OFF,
  ON
}
