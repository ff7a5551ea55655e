package keyfleet.control.rotation;

import static keyfleet.control.rotation.RotationTestFleet.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.KeyringOperations.Result;
import keyfleet.control.rotation.RotationTestFleet.Peer;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.VersionState;
import keyfleet.store.Bytes;
import keyfleet.store.FakeRecords;
import keyfleet.store.Records;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RemovalOperationsTest {
  private static final Duration HORIZON = Duration.ofDays(30);

  private final RotationTestFleet fleet = new RotationTestFleet();
  private final Peer api = fleet.member("api-1", 1, 2, 3, 4);
  private final Peer worker = fleet.worker("worker-1", 1, 2, 3, 4);

  @BeforeEach
  void fillTheStore() {
    fleet.begin(worker);
    api.put("orders", "o1");
  }

  private void rotated() {
    worker.orders.rotate(v(1), v(2));
    fleet.runToTheEnd();
    fleet.beat();
  }

  private static String refusal(Result answer) {
    return assertInstanceOf(Refused.class, answer).reason();
  }

  @Test
  void disabling_isRefusedWhileTheVersionIsInUse() {
    String said = refusal(worker.removals.disable(v(1)));
    assertTrue(said.contains("v1 is ACTIVE"), said);
    assertTrue(said.contains("1 records of fake orders carry it"), said);
    assertTrue(said.contains("api-1 holds it as current"), said);
  }

  @Test
  void disabling_isRefusedDuringARotation() {
    worker.orders.rotate(v(1), v(2));
    fleet.runUntil(Rotation.Sweeping.class);
    assertTrue(refusal(worker.removals.disable(v(1))).contains("is under way"), "in words");
  }

  /// Two versions are admitted in the epoch in which the driver fences to one.
  @Test
  void removalOrderedWhileSettling_raisesNoFence() {
    worker.orders.rotate(v(1), v(2));
    fleet.runUntil(Rotation.Settling.class);
    var before = fleet.records("orders").fence();
    worker.removals.disable(v(3));
    assertEquals(before, fleet.records("orders").fence());
  }

  @Test
  void versionThatNobodyCarries_isDisabledAndComesBack() {
    rotated();
    assertInstanceOf(Done.class, worker.removals.disable(v(1)));
    assertInstanceOf(Done.class, worker.removals.undo(v(1)));
    assertEquals(VersionState.DECRYPT_ONLY, fleet.keystore().stateOf(v(1)).orElseThrow());
  }

  /// A record is carried in by a restored table: its lowest version is another one.
  @Test
  void recordThatCarriesTheVersionInOneField_isEnough() {
    StoredRecord old = api.record("orders", "old");
    rotated();
    Bytes under1 = old.fields().byName().values().iterator().next();
    Bytes under2 = api.sealed("orders", "old", "card");
    worker.orders.rotate(v(2), v(3));
    fleet.runToTheEnd();
    FakeRecords restored = new FakeRecords();
    restored.insert(
        new StoredRecord(old.id(), SealedFields.of(Map.of("name", under1, "card", under2))));
    Records kept = fleet.lose("orders");
    fleet.restore("orders", restored);
    fleet.beat();
    assertTrue(
        refusal(worker.removals.disable(v(2))).contains("1 records of fake orders carry it"),
        "v2 is not the lowest");
    fleet.restore("orders", kept);
    assertInstanceOf(Done.class, worker.removals.disable(v(2)));
  }

  @Test
  void collectionOutOfReach_objects() {
    rotated();
    fleet.lose("orders");
    assertTrue(
        refusal(worker.removals.disable(v(1))).contains("fake orders could not be counted"),
        "by name");
  }

  @Test
  void destroying_waitsForTheHorizonByStoreTime() {
    rotated();
    worker.removals.disable(v(1));
    fleet.advance(HORIZON.minusSeconds(60));
    fleet.beat();
    fleet.beat();
    assertTrue(refusal(worker.removals.destroy(v(1), HORIZON)).contains("30 days"), "too soon");
    fleet.advance(Duration.ofSeconds(60));
    fleet.beat();
    assertInstanceOf(Done.class, worker.removals.destroy(v(1), HORIZON));
    assertInstanceOf(Done.class, worker.removals.destroyed(v(1)));
    assertEquals(VersionState.DESTROYED, fleet.keystore().stateOf(v(1)).orElseThrow());
  }

  @Test
  void disablingAgainAfterAnUndo_countsTheHorizonAnew() {
    rotated();
    worker.removals.disable(v(1));
    fleet.advance(HORIZON);
    fleet.beat();
    fleet.beat();
    worker.removals.undo(v(1));
    assertInstanceOf(Done.class, worker.removals.disable(v(1)));
    assertTrue(refusal(worker.removals.destroy(v(1), HORIZON)).contains("30 days"), "from now");
  }
}
