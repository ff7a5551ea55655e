package keyfleet.sim.cluster;

import java.util.List;
import java.util.Optional;
import keyfleet.control.Failpoints;
import keyfleet.control.rotation.CollectionCatalog;
import keyfleet.control.rotation.ConflictRetry;
import keyfleet.control.rotation.FleetOperations;
import keyfleet.control.rotation.KeyringOperations;
import keyfleet.control.rotation.KeyringStore;
import keyfleet.control.rotation.RemovalOperations;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KnownPlugin;
import keyfleet.member.document.KeystoreStore;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.sim.cipher.InMemoryKekProvider;
import keyfleet.sim.cipher.SeededSecureRandom;
import keyfleet.sim.fleet.InstantTicker;
import keyfleet.sim.fleet.PortUser;
import keyfleet.sim.host.HostLoop;
import keyfleet.sim.host.OrderLoop;
import keyfleet.sim.host.SimulatedHost;

/// An operator of a kms keyring at a terminal that has every key.
final class ClusterOperator {
  private final OrderLoop orderLoop;
  private final KeyringStore keyringStore;
  private final KeyringOperations orders;
  private final RemovalOperations removals;
  private final FleetOperations fleetOrders;

  ClusterOperator(SimulatedHost host, ClusterStores stores) {
    HostLoop loop = new HostLoop(host);
    this.orderLoop = new OrderLoop(loop);
    InMemoryKekProvider keyProvider = new InMemoryKekProvider();
    for (int version = 1; version <= ClusterFleet.MAX_VERSIONS; version++) {
      keyProvider.put(InMemoryKekProvider.genuineKek(version));
    }
    SeededSecureRandom random = stores.secureRandom(host, "desk");
    LoadedKeys loadedKeys = new LoadedKeys(KeyringName.MAIN, List.of(keyProvider), random);
    this.keyringStore = stores.keyringStore(PortUser.OPERATOR, loop);
    CollectionCatalog catalog =
        new CollectionCatalog(keyringStore, ClusterStores.NO_COLLECTIONS, Failpoints.NONE);
    this.orders =
        new KeyringOperations(
            keyringStore,
            catalog,
            loadedKeys,
            stores.nonces("orders of " + host.name() + host.generation()),
            random,
            new ConflictRetry(new InstantTicker(), random));
    this.removals = new RemovalOperations(keyringStore, catalog, orders);
    this.fleetOrders = new FleetOperations(keyringStore, catalog, orders);
    var _ = loadedKeys.refresh();
  }

  KeyringOperations orders() {
    return orders;
  }

  RemovalOperations removals() {
    return removals;
  }

  FleetOperations fleetOrders() {
    return fleetOrders;
  }

  Optional<Keystore> keystore() {
    return keyringStore.keystores().read().map(KeystoreStore.StoredKeystore::keystore);
  }

  List<KnownPlugin> knownPlugins(Keystore keystore) {
    return keyringStore.readKnownPlugins(keystore);
  }

  OrderLoop orderLoop() {
    return orderLoop;
  }
}
