package keyfleet.kms.localkek;

/// Whether values are sealed under a local KEK, or each under a key that the remote wraps.
public enum KeyHierarchy {
  ON,
  OFF
}
