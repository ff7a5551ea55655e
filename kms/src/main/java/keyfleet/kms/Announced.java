package keyfleet.kms;

import java.util.HashMap;
import java.util.Map;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Keystore.Activation;
import keyfleet.keyring.VersionState;
import org.jspecify.annotations.Nullable;

/// What a plugin tells Kubernetes at one moment. Status and Encrypt read one and the same, so they
/// cannot disagree; it is replaced as a whole.
///
/// @param known every key_id of the keyring, by its text
record Announced(@Nullable Snapshot snapshot, Map<String, Known> known, Writing writing) {
  /// A key_id, and what may be done with its version.
  record Known(KeyId keyId, KekVersion version, VersionState state) {}

  /// How values are sealed now.
  sealed interface Writing {}

  /// Under a local KEK, in memory.
  record Locally(KeyId keyId, LocalKek kek) implements Writing {}

  /// Under a key of its own for each value, which the remote wraps.
  record Remotely(KeyId keyId, Kek kek) implements Writing {}

  /// Not at all, and Status says so too: Kubernetes goes on writing for as long as Status names a
  /// key_id.
  record Stopped(Refusal why) implements Writing {}

  static Announced nothing(String why) {
    return new Announced(null, Map.of(), new Stopped(Refusal.notNow(why)));
  }

  static Announced of(Snapshot snapshot, Writing writing) {
    Keystore keystore = snapshot.keystore();
    Map<String, Known> known = new HashMap<>();
    for (Activation activation : keystore.activations()) {
      KeyId keyId = KeyId.of(keystore.identity().id(), activation);
      VersionState state = keystore.stateOf(activation.version()).orElse(VersionState.DESTROYED);
      known.put(keyId.text(), new Known(keyId, activation.version(), state));
    }
    return new Announced(snapshot, Map.copyOf(known), writing);
  }

  Announced writing(Writing newWriting) {
    return new Announced(snapshot, known, newWriting);
  }

  /// Of the keystore that it was made from.
  String keyringId() {
    return snapshot == null ? "" : snapshot.keystore().identity().id();
  }
}
