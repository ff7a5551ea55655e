package keyfleet.sim.cluster;

import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Bytes;

/// The objects that the API servers of a cluster store.
final class SimulatedEtcd {
  /// A data key as an API server stores it beside its objects: sealed by a plugin under `version`.
  record SealedSeed(KekVersion version, Bytes envelope) {}

  record StoredObject(String name, SealedSeed seed) {}

  private final Map<String, StoredObject> objects = new TreeMap<>();
  private final Set<KekVersion> everUsed = new HashSet<>();

  void put(StoredObject object) {
    objects.put(object.name(), object);
    everUsed.add(object.seed().version());
  }

  /// Whether any object was ever stored under `version`.
  boolean hasEverUsed(KekVersion version) {
    return everUsed.contains(version);
  }

  Optional<StoredObject> find(String name) {
    return Optional.ofNullable(objects.get(name));
  }

  Collection<StoredObject> objects() {
    return objects.values();
  }

  /// Whether any object needs `version` to be read.
  boolean needs(KekVersion version) {
    return objects.values().stream().anyMatch(it -> it.seed().version().equals(version));
  }
}
