package keyfleet.sim.rotation;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.control.Failpoints;
import keyfleet.control.rotation.CollectionCatalog;
import keyfleet.control.rotation.KeyringOperations;
import keyfleet.control.rotation.KeyringStore;
import keyfleet.control.rotation.RemovalOperations;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.member.document.KeystoreStore;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.sim.cipher.InMemoryKekProvider;
import keyfleet.sim.cipher.SeededSecureRandom;
import keyfleet.sim.fleet.PortUser;
import keyfleet.sim.host.HostLoop;
import keyfleet.sim.host.SimulatedHost;
import keyfleet.store.MalformedValueException;
import keyfleet.store.StoreException;

/// A terminal at which somebody gives orders. It has every key.
final class RotationOperator {
  private final HostLoop loop;
  private final LoadedKeys holder;
  private final KeyringStore keyringStore;
  private final KeyringOperations orders;
  private final RemovalOperations removals;

  RotationOperator(SimulatedHost host, RotationStores keys) {
    this.loop = new HostLoop(host);
    InMemoryKekProvider cupboard = new InMemoryKekProvider();
    for (int version = 1; version <= RotationOracle.VERSIONS; version++) {
      cupboard.put(InMemoryKekProvider.right(version));
    }
    Supplier<String> nonces = keys.nonces(host.name() + host.life());
    SeededSecureRandom random = new SeededSecureRandom(host.dice().named("desk" + host.life()));
    this.holder = new LoadedKeys(KeyringName.MAIN, List.of(cupboard), random);
    this.keyringStore =
        new KeyringStore(
            KeyringName.MAIN,
            keys.kv(PortUser.OPERATOR, loop),
            nonces,
            Failpoints.NONE,
            RotationStores.author(host));
    CollectionCatalog collectionCatalog =
        new CollectionCatalog(keyringStore, keys.stores(PortUser.OPERATOR, loop), Failpoints.NONE);
    this.orders = new KeyringOperations(keyringStore, collectionCatalog, holder, nonces, random);
    this.removals = new RemovalOperations(keyringStore, collectionCatalog, orders);
    holder.refresh();
  }

  KeyringOperations orders() {
    return orders;
  }

  RemovalOperations removals() {
    return removals;
  }

  Optional<Keystore> keystore() {
    return keyringStore.readKeystore().map(KeystoreStore.StoredKeystore::keystore);
  }

  /// Gives an order every `period`.
  void every(long period, Supplier<Object> order) {
    loop.every(period, () -> give(order));
  }

  void once(Supplier<Object> order) {
    loop.run(() -> give(order));
  }

  private void give(Supplier<Object> order) {
    try {
      Object answer = order.get();
      loop.host().note(() -> "is told " + brief(answer));
    } catch (StoreException e) {
      loop.host().note(() -> "cannot reach the store");
    } catch (MalformedValueException e) {
      loop.host().note(() -> "cannot go on: " + e.getMessage());
    }
  }

  private static String brief(Object answer) {
    String words = answer.toString();
    return words.length() > 160 ? words.substring(0, 160) + "…" : words;
  }
}
