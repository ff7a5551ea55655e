package keyfleet.it;

import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import keyfleet.control.AuditActor;
import keyfleet.control.AuditAuthor;
import keyfleet.control.AuditVerdict;
import keyfleet.control.Failpoints;
import keyfleet.control.Progress;
import keyfleet.control.RemovalOrders;
import keyfleet.control.Ring;
import keyfleet.control.RotationOrders;
import keyfleet.control.Shelves;
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
  private final Ring ring;
  private final Shelves shelves;
  private final RotationOrders orders;

  Overseer(Map<String, String> environment, Failpoints failpoints) {
    this.wiring = new Wiring(environment);
    LoadedKeys keys = new LoadedKeys(Wiring.RING, wiring.providers(), wiring.random());
    keys.refresh();
    AuditAuthor author =
        new AuditAuthor(new AuditActor("it", "here", "overseer"), InstantSource.system());
    this.ring = new Ring(Wiring.RING, wiring.store().kv(), wiring::nonce, failpoints, author);
    this.shelves = new Shelves(ring, wiring, failpoints);
    this.orders = new RotationOrders(ring, shelves, keys, wiring::nonce, wiring.random());
  }

  static KekVersion v(int number) {
    return new KekVersion(number);
  }

  void announce(int version, Timings timings) {
    done(orders.announce(v(version), Keystore.Use.RECORDS, timings));
  }

  RotationOrders orders() {
    return orders;
  }

  RemovalOrders removals() {
    return new RemovalOrders(ring, shelves, orders);
  }

  static Keystore done(RotationOrders.Answer answer) {
    if (answer instanceof RotationOrders.Done(Keystore keystore)) {
      return keystore;
    }
    throw new AssertionError("not done: " + answer);
  }

  Keystore keystore() {
    return ring.keystore().map(StoredKeystore::keystore).orElseThrow();
  }

  Roster roster() {
    return ring.roster(keystore().timings());
  }

  Optional<Progress> progress() {
    return ring.progress();
  }

  SortedMap<KekVersion, Long> carrying() {
    return shelves.carrying().orElseThrow();
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
    return ring.audit().verify();
  }

  @Override
  public void close() {
    wiring.close();
  }
}
