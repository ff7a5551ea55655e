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
import keyfleet.keyring.VersionRemoval.FenceWaiver;
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
    fleet.bootstrap(worker);
    api.put("orders", "o1");
  }

  private void completeRotation() {
    worker.operations.rotate(v(1), v(2));
    fleet.runToEnd();
    fleet.heartbeatAll();
  }

  private static String refusal(Result result) {
    return assertInstanceOf(Refused.class, result).reason();
  }

  @Test
  void disabling_isRefusedWhileTheVersionIsInUse() {
    String refusal = refusal(worker.removals.disable(v(1)));
    assertTrue(refusal.contains("v1 is active"), refusal);
    assertTrue(refusal.contains("1 records of fake orders carry it"), refusal);
    assertTrue(refusal.contains("api-1 holds it as current"), refusal);
  }

  @Test
  void disabling_isRefusedDuringARotation() {
    worker.operations.rotate(v(1), v(2));
    fleet.runUntil(Rotation.Sweeping.class);
    assertTrue(refusal(worker.removals.disable(v(1))).contains("is under way"), "in words");
  }

  /// Two versions are writable in the epoch in which the driver fences to one.
  @Test
  void removalRequestedWhileSettling_raisesNoFence() {
    worker.operations.rotate(v(1), v(2));
    fleet.runUntil(Rotation.Settling.class);
    var before = fleet.records("orders").fence();
    worker.removals.disable(v(3));
    assertEquals(before, fleet.records("orders").fence());
  }

  @Test
  void versionWithoutRecords_isDisabledAndReenabled() {
    completeRotation();
    assertInstanceOf(Done.class, worker.removals.disable(v(1)));
    assertInstanceOf(Done.class, worker.removals.undo(v(1)));
    assertEquals(VersionState.DECRYPT_ONLY, fleet.keystore().stateOf(v(1)).orElseThrow());
  }

  /// The record comes from a restored table, and its lowest version is another one.
  @Test
  void recordWithOneFieldUnderTheVersion_blocksDisabling() {
    StoredRecord old = api.record("orders", "old");
    completeRotation();
    Bytes under1 = old.fields().byName().values().iterator().next();
    Bytes under2 = api.seal("orders", "old", "card");
    worker.operations.rotate(v(2), v(3));
    fleet.runToEnd();
    FakeRecords restored = new FakeRecords();
    restored.insert(
        new StoredRecord(old.id(), SealedFields.of(Map.of("name", under1, "card", under2))));
    Records kept = fleet.removeCollection("orders");
    fleet.restoreCollection("orders", restored);
    fleet.heartbeatAll();
    assertTrue(
        refusal(worker.removals.disable(v(2))).contains("1 records of fake orders carry it"),
        "v2 is not the lowest");
    fleet.restoreCollection("orders", kept);
    assertInstanceOf(Done.class, worker.removals.disable(v(2)));
  }

  @Test
  void unreachableCollection_blocksDisabling() {
    completeRotation();
    fleet.removeCollection("orders");
    assertTrue(
        refusal(worker.removals.disable(v(1))).contains("fake orders could not be counted"),
        "by name");
  }

  @Test
  void destroying_waitsForTheHorizonByStoreTime() {
    completeRotation();
    worker.removals.disable(v(1));
    fleet.advance(HORIZON.minusSeconds(60));
    fleet.heartbeatAll();
    fleet.heartbeatAll();
    assertTrue(
        refusal(worker.removals.destroy(v(1), HORIZON, FenceWaiver.NONE)).contains("30 days"),
        "too soon");
    fleet.advance(Duration.ofSeconds(60));
    fleet.heartbeatAll();
    assertInstanceOf(Done.class, worker.removals.destroy(v(1), HORIZON, FenceWaiver.NONE));
    assertInstanceOf(Done.class, worker.removals.markDestroyed(v(1)));
    assertEquals(VersionState.DESTROYED, fleet.keystore().stateOf(v(1)).orElseThrow());
  }

  @Test
  void disablingAgainAfterAnUndo_restartsTheHorizon() {
    completeRotation();
    worker.removals.disable(v(1));
    fleet.advance(HORIZON);
    fleet.heartbeatAll();
    fleet.heartbeatAll();
    worker.removals.undo(v(1));
    assertInstanceOf(Done.class, worker.removals.disable(v(1)));
    assertTrue(
        refusal(worker.removals.destroy(v(1), HORIZON, FenceWaiver.NONE)).contains("30 days"),
        "from now");
  }
}
