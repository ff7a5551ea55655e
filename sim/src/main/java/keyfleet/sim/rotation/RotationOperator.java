package keyfleet.sim.rotation;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.control.Failpoints;
import keyfleet.control.rotation.CollectionCatalog;
import keyfleet.control.rotation.ConflictRetry;
import keyfleet.control.rotation.HoldOperations;
import keyfleet.control.rotation.KeyringOperations;
import keyfleet.control.rotation.KeyringStore;
import keyfleet.control.rotation.RemovalOperations;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.member.document.KeystoreStore;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.sim.cipher.InMemoryKekProvider;
import keyfleet.sim.cipher.SeededSecureRandom;
import keyfleet.sim.fleet.InstantTicker;
import keyfleet.sim.fleet.PortUser;
import keyfleet.sim.host.HostLoop;
import keyfleet.sim.host.OrderLoop;
import keyfleet.sim.host.SimulatedHost;

/// An operator at a terminal who orders rotations and removals. The terminal has every key.
final class RotationOperator {
  private final OrderLoop orderLoop;
  private final LoadedKeys loadedKeys;
  private final KeyringStore keyringStore;
  private final KeyringOperations orders;
  private final RemovalOperations removals;
  private final HoldOperations holds;

  RotationOperator(SimulatedHost host, RotationStores stores) {
    HostLoop loop = new HostLoop(host);
    this.orderLoop = new OrderLoop(loop);
    InMemoryKekProvider keyProvider = new InMemoryKekProvider();
    for (int version = 1; version <= RotationOracle.MAX_VERSIONS; version++) {
      keyProvider.put(InMemoryKekProvider.genuineKek(version));
    }
    Supplier<String> nonces = stores.nonces(host.name() + host.generation());
    SeededSecureRandom random =
        new SeededSecureRandom(host.random().forPurpose("desk" + host.generation()));
    this.loadedKeys = new LoadedKeys(KeyringName.MAIN, List.of(keyProvider), random);
    this.keyringStore =
        new KeyringStore(
            KeyringName.MAIN,
            stores.kv(PortUser.OPERATOR, loop),
            nonces,
            Failpoints.NONE,
            RotationStores.author(host));
    CollectionCatalog catalog =
        new CollectionCatalog(
            keyringStore, stores.stores(PortUser.OPERATOR, loop), Failpoints.NONE);
    ConflictRetry conflictRetry = new ConflictRetry(new InstantTicker(), random);
    this.orders =
        new KeyringOperations(keyringStore, catalog, loadedKeys, nonces, random, conflictRetry);
    this.removals = new RemovalOperations(keyringStore, catalog, orders);
    this.holds = new HoldOperations(keyringStore, catalog, loadedKeys, random, conflictRetry);
    loadedKeys.refresh();
  }

  HoldOperations holds() {
    return holds;
  }

  KeyringOperations orders() {
    return orders;
  }

  RemovalOperations removals() {
    return removals;
  }

  Optional<Keystore> keystore() {
    return keyringStore.keystores().read().map(KeystoreStore.StoredKeystore::keystore);
  }

  OrderLoop orderLoop() {
    return orderLoop;
  }
}
