package keyfleet.control.rotation;

import static keyfleet.control.rotation.RotationTestFleet.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.KeyringOperations.Unchanged;
import keyfleet.control.rotation.RotationTestFleet.Peer;
import keyfleet.keyring.Rotation;
import keyfleet.store.Fence;
import keyfleet.store.FenceResult;
import keyfleet.store.ForwardingRecords;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.Records;
import keyfleet.store.StoreException;
import keyfleet.store.Unknown;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A keystore that was restored from a backup: the fences of its collections remember more. And
/// what to do about a collection that is gone.
class HoldOperationsTest {
  private final RotationTestFleet fleet = new RotationTestFleet();
  private final Peer worker = fleet.worker("worker-1", 1, 2, 3, 4);

  @BeforeEach
  void fill() {
    fleet.bootstrap(worker);
    assertInstanceOf(RecordWriteResult.Stored.class, worker.put("orders", "o-1"));
  }

  /// Rotates to v2, then restores the store of the keystore to the time before.
  private void restoreOldKeystore() {
    Runnable backup = fleet.kv().checkpoint();
    assertInstanceOf(Done.class, worker.operations.rotate(v(1), v(2)));
    fleet.runUntil(Rotation.Completed.class);
    backup.run();
    fleet.heartbeatAll();
  }

  @Test
  void restoredKeystore_isHeldAndRefusesOperations() {
    restoreOldKeystore();
    assertNotNull(worker.holds.read().orElseThrow().hold());
    String refusal = assertInstanceOf(Refused.class, worker.operations.rotate(v(1), v(2))).reason();
    assertTrue(refusal.startsWith("safe hold: fake orders was fenced in epoch 2"), refusal);
    assertEquals(
        List.of("no fence is ahead of the keystore"),
        assertInstanceOf(Refused.class, freshFleetResolution()).reasons());
  }

  private static KeyringOperations.Result freshFleetResolution() {
    RotationTestFleet other = new RotationTestFleet();
    Peer peer = other.worker("worker-1", 1);
    other.bootstrap(peer);
    return peer.holds.adoptFences();
  }

  @Test
  void adoptedFences_letTheFleetSealAndRotateAgain() {
    restoreOldKeystore();
    assertInstanceOf(Done.class, worker.holds.adoptFences());
    assertEquals(v(2), fleet.keystore().active());
    fleet.heartbeatAll();
    assertInstanceOf(RecordWriteResult.Stored.class, worker.put("orders", "o-2"));
    assertInstanceOf(Done.class, worker.operations.rotate(v(2), v(3)));
    fleet.runUntil(Rotation.Completed.class);
  }

  @Test
  void acceptedKeystore_letsTheFleetSealAndRotateAgain() {
    restoreOldKeystore();
    assertInstanceOf(Done.class, worker.holds.acceptKeystore());
    assertEquals(v(1), fleet.keystore().active());
    fleet.heartbeatAll();
    assertInstanceOf(RecordWriteResult.Stored.class, worker.put("orders", "o-2"));
    assertInstanceOf(Refused.class, worker.operations.withdraw(v(2)), "records carry it");
    assertInstanceOf(Done.class, worker.operations.rotate(v(1), v(3)));
    fleet.runUntil(Rotation.Completed.class);
  }

  /// The command ended between its two effects: the keystore is resolved, and the fence still
  /// accepts what it accepted before.
  @Test
  void resolutionThatRaisedNoFence_isFinishedByTheSameCommand() {
    restoreOldKeystore();
    Records orders = fleet.records("orders");
    fleet.restoreCollection("orders", new UnfencedOnce(orders));
    assertThrows(StoreException.class, () -> worker.holds.acceptKeystore());
    assertEquals(3, fleet.keystore().epoch());
    fleet.restoreCollection("orders", orders);
    assertEquals(2, orders.fence().orElseThrow().term().epoch());
    assertInstanceOf(Unchanged.class, worker.holds.acceptKeystore());
    assertEquals(3, orders.fence().orElseThrow().term().epoch());
    fleet.heartbeatAll();
    assertInstanceOf(RecordWriteResult.Stored.class, worker.put("orders", "o-2"));
  }

  private record UnfencedOnce(Records inner) implements ForwardingRecords {
    @Override
    public FenceResult fence(Fence fence) {
      return new Unknown();
    }
  }

  @Test
  void collectionThatCannotBeRead_isNamed() {
    assertNull(worker.holds.read().orElseThrow().unreachable());
    var _ = fleet.removeCollection("orders");
    assertEquals(
        "this process cannot reach fake orders", worker.holds.read().orElseThrow().unreachable());
  }

  @Test
  void collectionThatIsGone_isUnregisteredWithWhatItLastHeld_andRotationsGoOn() {
    assertInstanceOf(Done.class, worker.operations.rotate(v(1), v(2)));
    fleet.runUntil(Rotation.Completed.class);
    var reachable = worker.fleetOperations.listCollections().getFirst();
    assertEquals("1 under v2", reachable.lastCount());
    assertEquals(
        "collection fake orders exists; only one that is gone can be unregistered",
        assertInstanceOf(Refused.class, worker.fleetOperations.unregister(reachable)).reason());
    fleet.dropCollection("orders");
    var gone = worker.fleetOperations.listCollections().getFirst();
    assertInstanceOf(Done.class, worker.fleetOperations.unregister(gone));
    assertEquals(List.of(), worker.fleetOperations.listCollections());
    assertInstanceOf(Done.class, worker.operations.rotate(v(2), v(3)));
    fleet.runUntil(Rotation.Completed.class);
  }
}
