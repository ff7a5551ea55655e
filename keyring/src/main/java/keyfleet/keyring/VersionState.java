package keyfleet.keyring;

/// What may be done with a KEK version.
public enum VersionState {
  /// Known, with a sentinel; nobody needs it yet.
  ANNOUNCED,
  /// About to be needed: whoever joins must prove it.
  STAGED,
  /// The version that new values are sealed under.
  ACTIVE,
  /// Records may still carry it: whoever joins must prove it.
  DECRYPT_ONLY,
  /// Nobody needs it; can be undone.
  DISABLED,
  /// Its bytes are being deleted; cannot be undone.
  DESTROYING,
  DESTROYED;

  /// Whether a process is admitted only if it proves the version.
  public boolean isProofRequired() {
    return this == STAGED || this == ACTIVE || this == DECRYPT_ONLY;
  }
}
