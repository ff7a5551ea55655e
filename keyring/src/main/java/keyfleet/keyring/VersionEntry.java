package keyfleet.keyring;

import keyfleet.crypto.Sentinel;

/// A KEK version as the keystore knows it: which provider holds its bytes, how one proves to hold
/// them, what may be done with it, and whether its bytes are still ours alone.
public record VersionEntry(String provider, Sentinel sentinel, VersionState state, Trust trust) {
  /// A version is compromised when somebody orders its revocation, and for ever.
  public enum Trust {
    TRUSTED,
    COMPROMISED
  }

  public VersionEntry(String provider, Sentinel sentinel, VersionState state) {
    this(provider, sentinel, state, Trust.TRUSTED);
  }

  VersionEntry withState(VersionState newState) {
    return new VersionEntry(provider, sentinel, newState, trust);
  }

  VersionEntry withTrustLost() {
    return new VersionEntry(provider, sentinel, state, Trust.COMPROMISED);
  }
}
