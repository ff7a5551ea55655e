package keyfleet.keyring;

import keyfleet.crypto.Sentinel;

/// A KEK version as the keystore knows it: which provider holds its bytes, how one proves to hold
/// them, and what may be done with it.
public record KeyVersion(String provider, Sentinel sentinel, VersionState state) {
  KeyVersion in(VersionState newState) {
    return new KeyVersion(provider, sentinel, newState);
  }
}
