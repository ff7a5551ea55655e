package keyfleet.kms.localkek;

/// Whether values are sealed under a local KEK (`ON`), or each value under its own key that the
/// remote wraps (`OFF`).
public enum KeyHierarchy {
  ON,
  OFF
}
