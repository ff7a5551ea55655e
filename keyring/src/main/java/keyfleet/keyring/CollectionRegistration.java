package keyfleet.keyring;

import java.util.List;
import java.util.Optional;
import keyfleet.crypto.KeyringName;
import org.jspecify.annotations.Nullable;

/// A collection whose records contain envelopes of a keyring. It is registered once, before the
/// first seal; later it can only gain a version field. A registered collection that cannot be
/// counted blocks the proof of a rotation and the removal of a version.
///
/// It holds all that a worker needs to find the records, because a worker may run where the
/// registering application does not.
///
/// @param versionFieldName the field beside the sealed ones in which each writer also writes the
///   record's lowest version, if there is one
public record CollectionRegistration(
    KeyringName keyring,
    String engine,
    String collection,
    String idField,
    List<String> sealedFields,
    @Nullable String versionFieldName) {
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

  public Optional<String> versionField() {
    return Optional.ofNullable(versionFieldName);
  }

  /// Whether `other` names the same fields, whatever its version field is.
  public boolean isSameButForVersionField(CollectionRegistration other) {
    return new CollectionRegistration(
            keyring, engine, collection, idField, sealedFields, other.versionFieldName)
        .equals(other);
  }

  /// A collection without a version field.
  public CollectionRegistration(
      KeyringName keyring,
      String engine,
      String collection,
      String idField,
      List<String> sealedFields) {
    this(keyring, engine, collection, idField, sealedFields, null);
  }

  /// A collection with the id field `id`, without a version field.
  public CollectionRegistration(
      KeyringName keyring, String engine, String collection, List<String> sealedFields) {
    this(keyring, engine, collection, "id", sealedFields);
  }
}
