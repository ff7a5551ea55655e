package keyfleet.kms;

import java.util.List;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Keystore.Activation;

/// What a plugin knows without any store: the last keystore that it took over, and which of its
/// activations it has told Kubernetes of. That is the newest one, or the one before while the
/// plugin cannot use the newest yet.
record Snapshot(Keystore keystore, Activation announced) {
  Snapshot {
    if (!keystore.activations().contains(announced)) {
      throw new IllegalArgumentException(
          "%s was not activated in epoch %d".formatted(announced.version(), announced.epoch()));
    }
  }

  /// What a keystore that was read means to a plugin that has this snapshot.
  sealed interface Verdict {}

  /// The same keyring, as far on or further.
  record Onward() implements Verdict {}

  /// The store lost what this plugin has seen. It stays with what it has.
  record Behind(String reason) implements Verdict {}

  /// The store tells another history than the one that this plugin was part of: what it writes now
  /// might be read by nobody.
  record Forked(String reason) implements Verdict {}

  /// A keystore that no plugin may use.
  record WrongUse(String reason) implements Verdict {}

  /// For a plugin that has none yet.
  static Verdict judgeFirst(Keystore read) {
    return read.identity().use() == Keystore.Use.KMS
        ? new Onward()
        : new WrongUse(
            "this keyring is for records: a plugin needs one that was announced with --use kms");
  }

  Verdict judge(Keystore read) {
    Keystore.Identity own = keystore.identity();
    Keystore.Identity other = read.identity();
    if (!own.id().equals(other.id()) || own.incarnation() != other.incarnation()) {
      return new Behind("the store has another keystore than the one this plugin announced");
    }
    List<Activation> before = keystore.activations();
    List<Activation> now = read.activations();
    int both = Math.min(before.size(), now.size());
    if (!before.subList(0, both).equals(now.subList(0, both))) {
      return new Forked(
          "the store tells another history of this keyring than the one this plugin announced");
    }
    return read.epoch() < keystore.epoch() || now.size() < before.size()
        ? new Behind(
            "the store's keystore is in epoch %d, and this plugin has seen epoch %d"
                .formatted(read.epoch(), keystore.epoch()))
        : new Onward();
  }

  /// The activation that the fleet writes under.
  Activation wanted() {
    return keystore.activations().getLast();
  }

  KeyId keyId() {
    return KeyId.of(keystore.identity().id(), announced);
  }

  /// With a later keystore, and nothing new announced.
  Snapshot knowing(Keystore later) {
    return new Snapshot(later, announced);
  }

  Snapshot announcing(Activation activation) {
    return new Snapshot(keystore, activation);
  }
}
