package keyfleet.keyring;

import java.util.Locale;

/// The life cycle of a KEK version.
public enum VersionState {
  /// Has a sentinel; no process needs it yet.
  ANNOUNCED,
  /// Was announced by mistake. Nothing was ever sealed under it, and its number is never used
  /// again.
  WITHDRAWN,
  /// About to be needed: a joining process must prove it.
  STAGED,
  /// New values are sealed under it.
  ACTIVE,
  /// Records may still carry it: a joining process must prove it.
  DECRYPT_ONLY,
  /// No process needs it. Can be undone.
  DISABLED,
  /// Its bytes are being deleted. Cannot be undone.
  DESTROYING,
  DESTROYED;

  /// The state as people read it, such as `decrypt-only`.
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// Whether a process is admitted only if it proves the version.
  public boolean isProofRequired() {
    return this == STAGED || this == ACTIVE || this == DECRYPT_ONLY;
  }

  /// Whether values may carry the version because it was active once and its key still exists.
  public boolean canBeCarried() {
    return this == ACTIVE || this == DECRYPT_ONLY || this == DISABLED;
  }
}
