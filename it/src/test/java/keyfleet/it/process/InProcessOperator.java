package keyfleet.it.process;

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
import keyfleet.control.rotation.ConflictRetry;
import keyfleet.control.rotation.KeyringOperations;
import keyfleet.control.rotation.KeyringStore;
import keyfleet.control.rotation.RemovalOperations;
import keyfleet.control.rotation.RotationLoop;
import keyfleet.control.rotation.RotationRate;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Roster;
import keyfleet.keyring.Timings;
import keyfleet.member.document.KeystoreStore.StoredKeystore;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.providers.SystemTicker;
import keyfleet.store.Records;

/// An operator inside the test's own JVM, which reads and orders without starting a command.
public final class InProcessOperator implements AutoCloseable {
  private final TestWiring wiring;
  private final KeyringStore keyringStore;
  private final CollectionCatalog catalog;
  private final KeyringOperations orders;
  private final LoadedKeys keys;

  public InProcessOperator(Map<String, String> environment, Failpoints failpoints) {
    this.wiring = new TestWiring(environment);
    this.keys = new LoadedKeys(TestWiring.KEYRING, wiring.providers(), wiring.random());
    keys.refresh();
    AuditContext author =
        new AuditContext(new AuditActor("it", "here", "operator"), InstantSource.system());
    this.keyringStore =
        new KeyringStore(
            TestWiring.KEYRING, wiring.stores().kv(), wiring::nonce, failpoints, author);
    this.catalog = new CollectionCatalog(keyringStore, wiring.stores(), failpoints);
    this.orders =
        new KeyringOperations(
            keyringStore,
            catalog,
            keys,
            wiring::nonce,
            wiring.random(),
            new ConflictRetry(new SystemTicker(), wiring.random()));
  }

  public static KekVersion v(int number) {
    return new KekVersion(number);
  }

  public void announce(int version, Timings timings) {
    requireDone(orders.announce(v(version), Keystore.Use.RECORDS, timings));
  }

  public KeyringOperations orders() {
    return orders;
  }

  RemovalOperations removals() {
    return new RemovalOperations(keyringStore, catalog, orders);
  }

  public static Keystore requireDone(KeyringOperations.Result result) {
    if (result instanceof KeyringOperations.Done(Keystore keystore)) {
      return keystore;
    }
    throw new AssertionError("not done: " + result);
  }

  public Keystore keystore() {
    return keyringStore.keystores().read().map(StoredKeystore::keystore).orElseThrow();
  }

  public Roster roster() {
    return keyringStore.readRoster(keystore().timings());
  }

  Optional<RotationProgress> rotationProgress() {
    return keyringStore.readProgress();
  }

  void setRate(RotationRate rate) {
    keyringStore.writeRate(rate);
  }

  public SortedMap<KekVersion, Long> recordsByVersion() {
    return catalog.countByVersion().orElseThrow();
  }

  public Records records() {
    return wiring.records().records(TestWiring.ORDERS);
  }

  /// A driver of rotations that a test ticks.
  public RotationLoop newRotationLoop(String driver) {
    return new RotationLoop(driver, keyringStore, catalog, keys, System::nanoTime);
  }

  public void createTable() {
    wiring.records().createCollection(TestWiring.ORDERS);
  }

  TestWiring wiring() {
    return wiring;
  }

  public AuditVerdict verifyAudit() {
    return keyringStore.keystores().reader().verify();
  }

  @Override
  public void close() {
    wiring.close();
  }
}
