package keyfleet.control.rotation;

import static keyfleet.control.rotation.RotationTestFleet.under;
import static keyfleet.control.rotation.RotationTestFleet.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import keyfleet.control.rewrap.RotationProgress;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.KeyringOperations.Unchanged;
import keyfleet.control.rotation.RotationTestFleet.Peer;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.Rotation.Idle;
import keyfleet.keyring.VersionState;
import keyfleet.store.Bytes;
import keyfleet.store.FakeRecords;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;
import org.junit.jupiter.api.Test;

/// Dry runs and revocations.
class RotationKindsTest {
  /// The data is at the end of an envelope: with the same DEK and nonce the last bytes are equal.
  private static final int DATA = 80;

  private final RotationTestFleet fleet = new RotationTestFleet();
  private final Peer api = fleet.member("api-1", 1, 2, 3, 4);
  private final Peer first = fleet.worker("worker-1", 1, 2, 3, 4);
  private final Peer second = fleet.worker("worker-2", 1, 2, 3, 4);
  private final Map<String, String> before;
  private final Keystore untouched;

  RotationKindsTest() {
    fleet.bootstrap(first);
    for (int i = 0; i < 3; i++) {
      api.put("orders", "o" + i);
    }
    before = fleet.contents();
    untouched = fleet.keystore();
  }

  private Set<Bytes> dataBytes() {
    Set<Bytes> data = new HashSet<>();
    for (int version = 1; version <= 4; version++) {
      for (StoredRecord record : fleet.records("orders").scan(v(version), 100)) {
        for (Bytes field : record.fields().byName().values()) {
          byte[] bytes = field.toArray();
          data.add(Bytes.copyOf(Arrays.copyOfRange(bytes, bytes.length - DATA, bytes.length)));
        }
      }
    }
    return data;
  }

  @Test
  void rotation_keepsTheDataBytes() {
    Set<Bytes> old = dataBytes();
    first.operations.rotate(v(1), v(2));
    fleet.runToEnd();
    assertEquals(old, dataBytes());
  }

  /// A writer that does not know the version field leaves it wrong, on a record that is already
  /// under the target too.
  @Test
  void wrongVersionFields_areCorrectedByTheSweep() {
    FakeRecords orders = (FakeRecords) fleet.records("orders");
    assertInstanceOf(Done.class, first.operations.rotate(v(1), v(2)));
    fleet.runUntil(Rotation.Sweeping.class);
    for (int i = 0; i < 3; i++) {
      orders.writeVersionField(new RecordId("o" + i), 1);
    }
    fleet.runToEnd();
    assertInstanceOf(Completed.class, fleet.keystore().rotation());
    assertEquals(under(2, before), fleet.contents());
    assertEquals(0, orders.census().mismatched());
    assertEquals(Optional.of(2), orders.readVersionField(new RecordId("o1")));
  }

  @Test
  void revocation_reencryptsAndDisablesForGood() {
    Set<Bytes> old = dataBytes();
    assertInstanceOf(Done.class, first.operations.revoke(v(1), v(2)));
    fleet.runToEnd();
    assertInstanceOf(Completed.class, fleet.keystore().rotation());
    assertEquals(under(2, before), fleet.contents());
    Set<Bytes> common = new HashSet<>(old);
    common.retainAll(dataBytes());
    assertEquals(Set.of(), common, "data that was not encrypted again");
    assertEquals(VersionState.DISABLED, fleet.keystore().stateOf(v(1)).orElseThrow());
    Refused refused = assertInstanceOf(Refused.class, first.removals.undo(v(1)));
    assertEquals("v1 was revoked: its key is compromised", refused.reason());
  }

  @Test
  void revocationThatBegan_isNotAborted() {
    first.operations.revoke(v(1), v(2));
    fleet.runUntil(Rotation.Rewrapping.class);
    assertInstanceOf(Refused.class, second.operations.abort());
    fleet.runToEnd();
    assertEquals(under(2, before), fleet.contents());
  }

  @Test
  void revocation_takesOverABlockedRotation() {
    StoredRecord good = fleet.records("orders").read(new RecordId("o0")).orElseThrow();
    Map<String, Bytes> swapped = new HashMap<>(good.fields().byName());
    swapped.put("name", good.fields().byName().getOrDefault("card", Bytes.copyOf(new byte[0])));
    StoredRecord bad = new StoredRecord(good.id(), SealedFields.of(swapped));
    fleet.records("orders").compareAndSet(new RecordChange(good, bad.fields()));
    first.operations.rotate(v(1), v(2));
    fleet.runUntil(Rotation.Blocked.class);
    fleet.records("orders").compareAndSet(new RecordChange(bad, good.fields()));
    assertInstanceOf(Done.class, second.operations.revoke(v(2), v(3)));
    fleet.runToEnd();
    assertEquals(under(3, before), fleet.contents());
    assertEquals(VersionState.DISABLED, fleet.keystore().stateOf(v(2)).orElseThrow());
  }

  @Test
  void dryRun_changesNothing() {
    Map<String, Bytes> fields = new HashMap<>();
    fleet.records("orders").scan(v(1), 9).forEach(it -> fields.putAll(prefixed(it)));
    assertInstanceOf(Done.class, first.operations.dryRun(v(1), v(2)));
    fleet.runToEnd();
    assertInstanceOf(Idle.class, fleet.keystore().rotation());
    assertEquals(untouched, fleet.keystore());
    Map<String, Bytes> after = new HashMap<>();
    fleet.records("orders").scan(v(1), 9).forEach(it -> after.putAll(prefixed(it)));
    assertEquals(fields, after);
    RotationProgress rotationProgress = first.keyring.readProgress().orElseThrow();
    assertEquals("ready", rotationProgress.note());
    assertEquals(3, rotationProgress.total());
  }

  private static Map<String, Bytes> prefixed(StoredRecord record) {
    Map<String, Bytes> fields = new HashMap<>();
    record.fields().byName().forEach((name, bytes) -> fields.put(record.id() + name, bytes));
    return fields;
  }

  @Test
  void dryRunWithALaggard_reportsIt() {
    fleet.member("api-2", 1);
    fleet.heartbeatAll();
    first.operations.dryRun(v(1), v(2));
    fleet.runToEnd();
    assertEquals(
        "not ready: api-2 has not loaded it", first.keyring.readProgress().orElseThrow().note());
  }

  @Test
  void dryRunWhoseDriverDied_endsWithoutAdoption() {
    first.operations.dryRun(v(1), v(2));
    first.loop.tick();
    assertEquals(
        "worker-1", Rotation.unfinishedJob(fleet.keystore().rotation()).orElseThrow().driver());
    first.stop();
    fleet.runToEnd();
    assertEquals(untouched, fleet.keystore());
    assertEquals(Optional.empty(), second.keyring.readProgress(), "no worker tried the dry run");
  }

  @Test
  void rotationWithoutAWorker_isRefused() {
    first.stop();
    second.stop();
    fleet.advance(RotationTestFleet.TIMINGS.fresh().plusSeconds(1));
    fleet.heartbeatAll();
    Refused refused = assertInstanceOf(Refused.class, api.operations.rotate(v(1), v(2)));
    assertEquals("no worker is fresh, so no process would drive the rotation", refused.reason());
  }

  @Test
  void sameRotationTwice_startsOnce() {
    assertInstanceOf(Done.class, first.operations.rotate(v(1), v(2)));
    assertInstanceOf(Unchanged.class, second.operations.rotate(v(1), v(2)));
    assertInstanceOf(Refused.class, second.operations.revoke(v(1), v(2)));
    assertNotEquals(untouched, fleet.keystore());
  }
}
