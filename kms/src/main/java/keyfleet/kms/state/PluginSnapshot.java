package keyfleet.kms.state;

import java.util.List;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Keystore.Activation;
import keyfleet.kms.KmsKeyId;

/// What a plugin knows without any store: the last keystore that it took over, and which of its
/// activations it has told Kubernetes of. That is the newest one, or the one before while the
/// plugin cannot use the newest yet.
public record PluginSnapshot(Keystore keystore, Activation announced) {
  public PluginSnapshot {
    if (!keystore.activations().contains(announced)) {
      throw new IllegalArgumentException(
          "%s was not activated in epoch %d".formatted(announced.version(), announced.epoch()));
    }
  }

  /// What a keystore that was read means to a plugin that has this snapshot.
  sealed interface Comparison {}

  /// The same keyring, as far on or further.
  record SameOrNewer() implements Comparison {}

  /// The store lost what this plugin has seen. It stays with what it has.
  record StoreBehind(String reason) implements Comparison {}

  /// The store tells another history than the one that this plugin was part of: what it writes now
  /// might be read by nobody.
  record HistoryDiverged(String reason) implements Comparison {}

  /// A keystore that no plugin may use.
  record WrongUse(String reason) implements Comparison {}

  /// For a plugin that has none yet.
  static Comparison checkFirst(Keystore read) {
    return read.identity().use() == Keystore.Use.KMS
        ? new SameOrNewer()
        : new WrongUse(
            "this keyring is for records: a plugin needs one that was announced with --use kms");
  }

  Comparison compareWith(Keystore read) {
    Keystore.Identity own = keystore.identity();
    Keystore.Identity other = read.identity();
    if (!own.id().equals(other.id()) || own.incarnation() != other.incarnation()) {
      return new StoreBehind("the store has another keystore than the one this plugin announced");
    }
    List<Activation> before = keystore.activations();
    List<Activation> now = read.activations();
    int both = Math.min(before.size(), now.size());
    if (!before.subList(0, both).equals(now.subList(0, both))) {
      return new HistoryDiverged(
          "the store tells another history of this keyring than the one this plugin announced");
    }
    return read.epoch() < keystore.epoch() || now.size() < before.size()
        ? new StoreBehind(
            "the store's keystore is in epoch %d, and this plugin has seen epoch %d"
                .formatted(read.epoch(), keystore.epoch()))
        : new SameOrNewer();
  }

  /// The activation that the fleet writes under.
  Activation wanted() {
    return keystore.activations().getLast();
  }

  KmsKeyId kmsKeyId() {
    return KmsKeyId.of(keystore.identity().id(), announced);
  }

  /// With a later keystore, and nothing new announced.
  PluginSnapshot withKeystore(Keystore later) {
    return new PluginSnapshot(later, announced);
  }

  PluginSnapshot withAnnounced(Activation activation) {
    return new PluginSnapshot(keystore, activation);
  }
}
