package keyfleet.control.rotation;

import java.util.List;
import java.util.Optional;
import keyfleet.control.audit.AuditChange;
import keyfleet.control.rewrap.CollectionSet;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.KeyringOperations.Result;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KnownPlugin;
import keyfleet.keyring.Roster;

/// Takes out of a fleet what will not return: processes that are silent, and collections that no
/// longer exist. Each is audited first.
public final class FleetOperations {
  private final KeyringStore keyringStore;
  private final CollectionCatalog collectionCatalog;
  private final KeyringOperations operations;

  public FleetOperations(
      KeyringStore keyringStore,
      CollectionCatalog collectionCatalog,
      KeyringOperations operations) {
    this.keyringStore = keyringStore;
    this.collectionCatalog = collectionCatalog;
    this.operations = operations;
  }

  /// Forgets a process that is silent. A process that runs cannot be forgotten: stop it instead.
  public Result forget(Keystore keystore, String instance) {
    Roster roster = keyringStore.readRoster(keystore.timings());
    boolean isFresh =
        roster.fresh(keystore.timings().fresh()).stream()
            .anyMatch(it -> it.instance().equals(instance));
    if (isFresh) {
      return new Refused(instance + " is running; stop it, and it leaves by itself");
    }
    Optional<String> known = describe(keystore, roster, instance);
    if (known.isEmpty()) {
      return new Refused("no process " + instance + " is known");
    }
    Result audited =
        operations.writeIntent(
            "forget " + instance, List.of(AuditChange.ofProcessIntent(instance, known.get())));
    if (audited instanceof Done) {
      keyringStore.forgetProcess(keystore.timings(), instance);
    }
    return audited;
  }

  private Optional<String> describe(Keystore keystore, Roster roster, String instance) {
    Optional<String> plugin =
        keyringStore.readKnownPlugins(keystore).stream()
            .filter(it -> it.instance().equals(instance))
            .map(KnownPlugin::place)
            .map(it -> "plugin of cluster %s on %s".formatted(it.cluster(), it.host()))
            .findFirst();
    return plugin.or(() ->
        roster.heartbeats().stream()
            .filter(it -> it.instance().equals(instance))
            .map(Heartbeat::process)
            .map(it -> "%s on %s".formatted(it.role(), it.host().name()))
            .findFirst());
  }

  /// What this process can tell of a registered collection.
  public enum CollectionState {
    OPEN,
    /// Its store answers that it does not exist.
    MISSING,
    /// This process cannot ask its store.
    UNREACHABLE
  }

  /// A registered collection.
  ///
  /// @param lastCount how many records needed each version when they were last counted, for people
  public record RegisteredCollection(
      CollectionRegistration registration, CollectionState state, String lastCount) {
    /// With the engine, which tells collections of the same name apart.
    public String displayName() {
      return registration.engine() + " " + registration.collection();
    }
  }

  /// The registered collections, as this process can open them now.
  public List<RegisteredCollection> listCollections() {
    CollectionSet collections = collectionCatalog.open();
    return collections.registrations().stream()
        .filter(it -> !it.isCluster())
        .map(it ->
            new RegisteredCollection(it, stateOf(collections, it), keyringStore.readLastCount(it)))
        .toList();
  }

  private static CollectionState stateOf(
      CollectionSet collections, CollectionRegistration registration) {
    String name = registration.engine() + " " + registration.collection();
    if (collections.missing().contains(name)) {
      return CollectionState.MISSING;
    }
    return collections.unreachable().contains(name)
        ? CollectionState.UNREACHABLE
        : CollectionState.OPEN;
  }

  /// Unregisters a collection that no longer exists.
  public Result unregister(RegisteredCollection collection) {
    switch (collection.state()) {
      case OPEN -> {
        return new Refused(
            "collection %s exists; only one that is gone can be unregistered"
                .formatted(collection.displayName()));
      }
      case UNREACHABLE -> {
        return new Refused(
            "this host cannot ask the store of collection %s whether it exists"
                .formatted(collection.displayName()));
      }
      case MISSING -> {}
    }
    Result audited =
        operations.writeIntent(
            "unregister " + collection.displayName(),
            List.of(
                AuditChange.ofCollectionIntent(collection.displayName(), collection.lastCount())));
    if (audited instanceof Done) {
      keyringStore.unregister(collection.registration());
    }
    return audited;
  }
}
