package keyfleet.keyring;

import keyfleet.crypto.Sentinel;

/// The keystore entry of a KEK version: the provider of its key, the sentinel that proves it, its
/// state, and whether the key is still trusted.
public record VersionEntry(String provider, Sentinel sentinel, VersionState state, Trust trust) {
  /// A version stays compromised once an operator requests its revocation.
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
