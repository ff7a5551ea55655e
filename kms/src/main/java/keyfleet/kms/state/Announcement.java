package keyfleet.kms.state;

import java.util.HashMap;
import java.util.Map;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Keystore.Activation;
import keyfleet.keyring.VersionState;
import keyfleet.kms.KmsKeyId;
import keyfleet.kms.localkek.LocalKek;
import org.jspecify.annotations.Nullable;

/// What the plugin announces to Kubernetes at one moment. Status and Encrypt read the same
/// announcement, so they cannot disagree. It is replaced as a whole.
///
/// @param knownKeyIds every key_id of the keyring, by its text
public record Announcement(
    @Nullable PluginSnapshot snapshot, Map<String, KnownKeyId> knownKeyIds, WriteKey writeKey) {
  /// A key_id with its version and the state of that version.
  public record KnownKeyId(KmsKeyId keyId, KekVersion version, VersionState state) {}

  /// What new values are sealed under.
  public sealed interface WriteKey {}

  /// New values are sealed under a local KEK in memory.
  public record LocalWriteKey(KmsKeyId keyId, LocalKek kek) implements WriteKey {}

  /// Each new value is sealed under its own key, which the remote wraps.
  public record RemoteWriteKey(KmsKeyId keyId, Kek kek) implements WriteKey {}

  /// No values are sealed, and Status refuses too: an API server keeps writing as long as Status
  /// returns a key_id.
  public record NoWriteKey(CallRefusal refusal) implements WriteKey {}

  static Announcement nothing(String reason) {
    return new Announcement(null, Map.of(), new NoWriteKey(CallRefusal.unavailable(reason)));
  }

  static Announcement of(PluginSnapshot pluginSnapshot, WriteKey writeKey) {
    Keystore keystore = pluginSnapshot.keystore();
    Map<String, KnownKeyId> keyIds = new HashMap<>();
    for (Activation activation : keystore.activations()) {
      KmsKeyId kmsKeyId = KmsKeyId.of(keystore.identity().id(), activation);
      VersionState state = keystore.stateOf(activation.version()).orElse(VersionState.DESTROYED);
      keyIds.put(kmsKeyId.text(), new KnownKeyId(kmsKeyId, activation.version(), state));
    }
    return new Announcement(pluginSnapshot, Map.copyOf(keyIds), writeKey);
  }

  Announcement withWriteKey(WriteKey newWriteKey) {
    return new Announcement(snapshot, knownKeyIds, newWriteKey);
  }

  /// The id of the keyring, or an empty text if no keystore is known.
  public String keyringId() {
    return snapshot == null ? "" : snapshot.keystore().identity().id();
  }
}
