package keyfleet.keyring;

import java.util.List;
import keyfleet.crypto.KeyringName;

/// A collection whose records carry envelopes of a keyring. Registered once, before the first seal;
/// one that nobody can count blocks the proof of a rotation and the removal of a version.
public record Registration(
    KeyringName keyring, String engine, String collection, List<String> sealedFields) {
  public Registration {
    sealedFields = List.copyOf(sealedFields);
    if (sealedFields.isEmpty()) {
      throw new IllegalArgumentException(
          "a registered collection has sealed fields: " + collection);
    }
  }
}
