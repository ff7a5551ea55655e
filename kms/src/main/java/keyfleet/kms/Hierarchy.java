package keyfleet.kms;

/// Whether values are sealed under a local KEK, or each under a key that the remote wraps.
public enum Hierarchy {
  ON,
  OFF
}
