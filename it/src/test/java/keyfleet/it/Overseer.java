package keyfleet.it;

import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import keyfleet.control.Failpoints;
import keyfleet.control.audit.AuditActor;
import keyfleet.control.audit.AuditContext;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.control.rewrap.RotationProgress;
import keyfleet.control.rotation.CollectionCatalog;
import keyfleet.control.rotation.KeyringOperations;
import keyfleet.control.rotation.KeyringStore;
import keyfleet.control.rotation.RemovalOperations;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Roster;
import keyfleet.keyring.Timings;
import keyfleet.member.document.KeystoreStore.StoredKeystore;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.store.Records;

/// An operator who looks and orders without the command, so that a test can do so often.
final class Overseer implements AutoCloseable {
  private final Wiring wiring;
  private final KeyringStore keyringStore;
  private final CollectionCatalog collectionCatalog;
  private final KeyringOperations orders;

  Overseer(Map<String, String> environment, Failpoints failpoints) {
    this.wiring = new Wiring(environment);
    LoadedKeys keys = new LoadedKeys(Wiring.RING, wiring.providers(), wiring.random());
    keys.refresh();
    AuditContext author =
        new AuditContext(new AuditActor("it", "here", "overseer"), InstantSource.system());
    this.keyringStore =
        new KeyringStore(Wiring.RING, wiring.store().kv(), wiring::nonce, failpoints, author);
    this.collectionCatalog = new CollectionCatalog(keyringStore, wiring, failpoints);
    this.orders =
        new KeyringOperations(
            keyringStore, collectionCatalog, keys, wiring::nonce, wiring.random());
  }

  static KekVersion v(int number) {
    return new KekVersion(number);
  }

  void announce(int version, Timings timings) {
    done(orders.announce(v(version), Keystore.Use.RECORDS, timings));
  }

  KeyringOperations orders() {
    return orders;
  }

  RemovalOperations removals() {
    return new RemovalOperations(keyringStore, collectionCatalog, orders);
  }

  static Keystore done(KeyringOperations.Result result) {
    if (result instanceof KeyringOperations.Done(Keystore keystore)) {
      return keystore;
    }
    throw new AssertionError("not done: " + result);
  }

  Keystore keystore() {
    return keyringStore.readKeystore().map(StoredKeystore::keystore).orElseThrow();
  }

  Roster roster() {
    return keyringStore.readRoster(keystore().timings());
  }

  Optional<RotationProgress> rotationProgress() {
    return keyringStore.readProgress();
  }

  SortedMap<KekVersion, Long> carrying() {
    return collectionCatalog.countByVersion().orElseThrow();
  }

  Records records() {
    return wiring.records().records(Wiring.ORDERS);
  }

  void makeRecords() {
    wiring.records().createCollection(Wiring.ORDERS);
  }

  Wiring wiring() {
    return wiring;
  }

  AuditVerdict audit() {
    return keyringStore.audit().verify();
  }

  @Override
  public void close() {
    wiring.close();
  }
}
