package keyfleet.sim.cluster;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
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
import keyfleet.sim.host.SimulatedHost;
import keyfleet.store.MalformedValueException;
import keyfleet.store.StoreException;

/// An operator of a kms keyring at a terminal that has every key.
final class ClusterOperator {
  private final HostLoop loop;
  private final KeyringStore keyringStore;
  private final KeyringOperations orders;
  private final RemovalOperations removals;
  private final FleetOperations fleetOrders;

  ClusterOperator(SimulatedHost host, ClusterStores stores) {
    this.loop = new HostLoop(host);
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

  void orderEvery(long period, Supplier<Object> order) {
    loop.runEvery(period, () -> giveOrder(order));
  }

  void orderOnce(Supplier<Object> order) {
    loop.run(() -> giveOrder(order));
  }

  private void giveOrder(Supplier<Object> order) {
    try {
      Object answer = order.get();
      loop.host().note(() -> "gets the answer " + abbreviate(answer));
    } catch (StoreException e) {
      loop.host().note(() -> "cannot reach the store");
    } catch (MalformedValueException e) {
      loop.host().note(() -> "cannot continue: " + e.getMessage());
    }
  }

  private static String abbreviate(Object answer) {
    String text = answer.toString();
    return text.length() > 160 ? text.substring(0, 160) + "…" : text;
  }
}
