package keyfleet.sim;

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
import keyfleet.store.MalformedValueException;
import keyfleet.store.StoreException;

/// A terminal at which somebody gives orders. It has every key.
final class KeyDesk {
  private final Loop loop;
  private final LoadedKeys holder;
  private final KeyringStore keyringStore;
  private final KeyringOperations orders;
  private final RemovalOperations removals;

  KeyDesk(Host host, KeyWorld keys) {
    this.loop = new Loop(host);
    Cupboard cupboard = new Cupboard();
    for (int version = 1; version <= KeyTruth.VERSIONS; version++) {
      cupboard.put(Cupboard.right(version));
    }
    Supplier<String> nonces = keys.nonces(host.name() + host.life());
    SimRandom random = new SimRandom(host.dice().named("desk" + host.life()));
    this.holder = new LoadedKeys(KeyringName.MAIN, List.of(cupboard), random);
    this.keyringStore =
        new KeyringStore(
            KeyringName.MAIN,
            keys.kv(Part.OPERATOR, loop),
            nonces,
            Failpoints.NONE,
            KeyWorld.author(host));
    CollectionCatalog collectionCatalog =
        new CollectionCatalog(keyringStore, keys.stores(Part.OPERATOR, loop), Failpoints.NONE);
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
