package keyfleet.kms.state;

import java.util.List;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Keystore.Activation;
import keyfleet.kms.KmsKeyId;

/// What the plugin knows without the store: the last keystore that it adopted, and the activation
/// that it has announced to Kubernetes. That is the newest one, or an earlier one while the plugin
/// cannot use the newest yet.
public record PluginSnapshot(Keystore keystore, Activation announced) {
  public PluginSnapshot {
    if (!keystore.activations().contains(announced)) {
      throw new IllegalArgumentException(
          "%s was not activated in epoch %d".formatted(announced.version(), announced.epoch()));
    }
  }

  /// How a keystore that was read compares with this snapshot.
  sealed interface Comparison {}

  /// The same keyring, in the same or a later state.
  record SameOrNewer() implements Comparison {}

  /// The store has lost what this plugin has seen. The plugin keeps its own keystore.
  record StoreBehind(String reason) implements Comparison {}

  /// The store has another history of the keyring than this plugin: other plugins might not be able
  /// to read what it writes.
  record HistoryDiverged(String reason) implements Comparison {}

  /// The keyring is not for KMS plugins.
  record WrongUse(String reason) implements Comparison {}

  /// For a plugin that has no snapshot yet.
  static Comparison checkFirst(Keystore read) {
    return read.identity().use() == Keystore.Use.KMS
        ? new SameOrNewer()
        : new WrongUse(
            "this keyring is for records; a plugin needs one that was announced with --use kms");
  }

  Comparison compareWith(Keystore read) {
    Keystore.Identity own = keystore.identity();
    Keystore.Identity other = read.identity();
    if (!own.id().equals(other.id()) || own.incarnation() != other.incarnation()) {
      return new StoreBehind(
          "the store has another keystore than the one that this plugin announced");
    }
    List<Activation> before = keystore.activations();
    List<Activation> now = read.activations();
    int both = Math.min(before.size(), now.size());
    if (!before.subList(0, both).equals(now.subList(0, both))) {
      return new HistoryDiverged(
          "the store has another history of this keyring than the one that this plugin announced");
    }
    return read.epoch() < keystore.epoch() || now.size() < before.size()
        ? new StoreBehind(
            "the store's keystore is in epoch %d, but this plugin has seen epoch %d"
                .formatted(read.epoch(), keystore.epoch()))
        : new SameOrNewer();
  }

  /// The activation that the fleet writes under.
  Activation fleetActivation() {
    return keystore.activations().getLast();
  }

  KmsKeyId keyId() {
    return KmsKeyId.of(keystore.identity().id(), announced);
  }

  /// A copy with a later keystore and the same announced activation.
  PluginSnapshot withKeystore(Keystore later) {
    return new PluginSnapshot(later, announced);
  }

  PluginSnapshot withAnnounced(Activation activation) {
    return new PluginSnapshot(keystore, activation);
  }
}
