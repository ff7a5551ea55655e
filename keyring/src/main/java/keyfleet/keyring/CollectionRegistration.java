package keyfleet.keyring;

import java.util.List;
import keyfleet.crypto.KeyringName;

/// A collection whose records contain envelopes of a keyring. It is registered once, before the
/// first seal. A registered collection that cannot be counted blocks the proof of a rotation and
/// the removal of a version.
///
/// It holds all that a worker needs to find the records, because a worker may run where the
/// registering application does not.
public record CollectionRegistration(
    KeyringName keyring,
    String engine,
    String collection,
    String idField,
    List<String> sealedFields) {
  public CollectionRegistration {
    sealedFields = List.copyOf(sealedFields);
    if (sealedFields.isEmpty()) {
      throw new IllegalArgumentException(
          "a registered collection needs at least one sealed field: " + collection);
    }
  }

  /// The engine name in the registration of a cluster.
  private static final String KUBERNETES = "kubernetes";

  /// A cluster whose API servers store what a plugin of the keyring sealed. Its objects are in
  /// etcd, which no engine of this product reads.
  public static CollectionRegistration ofCluster(KeyringName keyring, String cluster) {
    return new CollectionRegistration(keyring, KUBERNETES, cluster, List.of("*"));
  }

  public boolean isCluster() {
    return engine.equals(KUBERNETES);
  }

  /// A collection with the id field `id`.
  public CollectionRegistration(
      KeyringName keyring, String engine, String collection, List<String> sealedFields) {
    this(keyring, engine, collection, "id", sealedFields);
  }
}
