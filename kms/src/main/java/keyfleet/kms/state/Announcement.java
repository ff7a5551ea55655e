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

/// What a plugin tells Kubernetes at one moment. Status and Encrypt read one and the same, so they
/// cannot disagree; it is replaced as a whole.
///
/// @param known every key_id of the keyring, by its text
public record Announcement(
    @Nullable PluginSnapshot pluginSnapshot,
    Map<String, KnownKeyId> knownKeyIds,
    WriteKey writeKey) {
  /// A key_id, and what may be done with its version.
  public record KnownKeyId(KmsKeyId kmsKeyId, KekVersion version, VersionState state) {}

  /// How values are sealed now.
  public sealed interface WriteKey {}

  /// Under a local KEK, in memory.
  public record LocalWriteKey(KmsKeyId kmsKeyId, LocalKek kek) implements WriteKey {}

  /// Under a key of its own for each value, which the remote wraps.
  public record RemoteWriteKey(KmsKeyId kmsKeyId, Kek kek) implements WriteKey {}

  /// Not at all, and Status says so too: Kubernetes goes on writing for as long as Status names a
  /// key_id.
  public record NoWriteKey(CallRefusal refusal) implements WriteKey {}

  static Announcement nothing(String why) {
    return new Announcement(null, Map.of(), new NoWriteKey(CallRefusal.unavailable(why)));
  }

  static Announcement of(PluginSnapshot pluginSnapshot, WriteKey writing) {
    Keystore keystore = pluginSnapshot.keystore();
    Map<String, KnownKeyId> known = new HashMap<>();
    for (Activation activation : keystore.activations()) {
      KmsKeyId kmsKeyId = KmsKeyId.of(keystore.identity().id(), activation);
      VersionState state = keystore.stateOf(activation.version()).orElse(VersionState.DESTROYED);
      known.put(kmsKeyId.text(), new KnownKeyId(kmsKeyId, activation.version(), state));
    }
    return new Announcement(pluginSnapshot, Map.copyOf(known), writing);
  }

  Announcement writing(WriteKey newWriting) {
    return new Announcement(pluginSnapshot, knownKeyIds, newWriting);
  }

  /// Of the keystore that it was made from.
  public String keyringId() {
    return pluginSnapshot == null ? "" : pluginSnapshot.keystore().identity().id();
  }
}
