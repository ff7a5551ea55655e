package keyfleet.keyring;

import java.util.List;
import keyfleet.crypto.KeyringName;

/// A collection whose records carry envelopes of a keyring. Registered once, before the first seal;
/// one that nobody can count blocks the proof of a rotation and the removal of a version.
///
/// It says all that a worker needs to find the records: it may run where the application that
/// registered does not.
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
          "a registered collection has sealed fields: " + collection);
    }
  }

  /// What a cluster's registration has in place of an engine.
  private static final String KUBERNETES = "kubernetes";

  /// A cluster whose API servers store what a plugin of the keyring has sealed. Its objects are in
  /// etcd, and no engine of ours reads them.
  public static CollectionRegistration ofCluster(KeyringName keyring, String cluster) {
    return new CollectionRegistration(keyring, KUBERNETES, cluster, List.of("*"));
  }

  public boolean isCluster() {
    return engine.equals(KUBERNETES);
  }

  /// With records that are named by a field `id`.
  public CollectionRegistration(
      KeyringName keyring, String engine, String collection, List<String> sealedFields) {
    this(keyring, engine, collection, "id", sealedFields);
  }
}
