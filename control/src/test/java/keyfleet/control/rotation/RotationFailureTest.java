package keyfleet.control.rotation;

import static keyfleet.control.rotation.RotationTestFleet.under;
import static keyfleet.control.rotation.RotationTestFleet.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import keyfleet.control.rewrap.RewrapPass;
import keyfleet.control.rewrap.RotationProgress;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.RotationTestFleet.Peer;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Blocked;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.member.MembershipState;
import keyfleet.store.Bucket;
import keyfleet.store.Bytes;
import keyfleet.store.FakeRecords;
import keyfleet.store.Key;
import keyfleet.store.MalformedValueException;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.Records;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;
import keyfleet.store.Value;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What stops a rotation: records that cannot be rewrapped, unreachable collections, a restored
/// keystore.
class RotationFailureTest {
  private final RotationTestFleet fleet = new RotationTestFleet();
  private final Peer api = fleet.member("api-1", 1, 2, 3, 4);
  private final Peer first = fleet.worker("worker-1", 1, 2, 3, 4);
  private final Peer second = fleet.worker("worker-2", 1, 2, 3, 4);
  private Map<String, String> before = Map.of();

  @BeforeEach
  void fillTheStores() {
    fleet.bootstrap(first);
    for (int i = 0; i < 3; i++) {
      assertInstanceOf(RecordWriteResult.Stored.class, api.put("orders", "o" + i));
    }
    before = fleet.contents();
  }

  private void rotate() {
    assertInstanceOf(Done.class, first.operations.rotate(v(1), v(2)));
  }

  private RotationProgress rotationProgress() {
    return first.keyring.readProgress().orElseThrow();
  }

  private Records orders() {
    return fleet.records("orders");
  }

  /// Swaps the envelopes of `o0`.
  private static StoredRecord withSwappedFields(StoredRecord good) {
    var fields = good.fields().byName();
    Bytes none = Bytes.copyOf(new byte[0]);
    return new StoredRecord(
        good.id(),
        SealedFields.of(
            Map.of(
                "name", fields.getOrDefault("card", none),
                "card", fields.getOrDefault("name", none))));
  }

  @Test
  void recordWithSwappedFields_blocksUntilRepaired() {
    StoredRecord good = orders().read(new RecordId("o0")).orElseThrow();
    StoredRecord bad = withSwappedFields(good);
    orders().compareAndSet(new RecordChange(good, bad.fields()));
    rotate();
    fleet.runUntil(Blocked.class);
    assertEquals(1, rotationProgress().failed());
    assertEquals("o0", rotationProgress().failures().getFirst().id());
    assertTrue(
        rotationProgress().failures().getFirst().reason().contains("field card"),
        "the list of failures");
    assertEquals(2, orders().census().belonging().getOrDefault(v(2), 0L));
    assertInstanceOf(
        RecordWriteResult.Stored.class,
        orders().compareAndSet(new RecordChange(bad, good.fields())));
    fleet.runToEnd();
    assertInstanceOf(Completed.class, fleet.keystore().rotation());
    assertEquals(under(2, before), fleet.contents());
  }

  /// More records than the first batch of a pass, so that the test sees an unfinished retry.
  @Test
  void retry_neverShowsFewerFailuresThanThereAre() {
    int bad = RewrapPass.FIRST_BATCH + 10;
    for (int i = 0; i < bad; i++) {
      String id = "bad-%02d".formatted(i);
      assertInstanceOf(RecordWriteResult.Stored.class, api.put("orders", id));
      StoredRecord good = orders().read(new RecordId(id)).orElseThrow();
      orders().compareAndSet(new RecordChange(good, withSwappedFields(good).fields()));
    }
    rotate();
    fleet.runUntil(Blocked.class);
    for (int i = 0; i < 40; i++) {
      assertEquals(bad, rotationProgress().failed());
      fleet.advance(Duration.ofSeconds(5));
      fleet.heartbeatAll();
      first.loop.tick();
    }
  }

  @Test
  void fieldThatIsNoEnvelope_blocks() {
    StoredRecord junk =
        new StoredRecord(
            new RecordId("junk"),
            SealedFields.of(Map.of("name", Bytes.copyOf(new byte[] {1, 2, 3}))));
    orders().insert(junk);
    rotate();
    fleet.runUntil(Blocked.class);
    orders().delete(junk);
    fleet.runToEnd();
    assertEquals(under(2, before), fleet.contents());
  }

  /// An operator restores the table from a backup while the rotation is in progress.
  @Test
  void recordsRestoredAfterTheSweep_areSweptBeforeTheEnd() {
    FakeRecords backup = new FakeRecords();
    orders().scan(v(1), 9).forEach(backup::insert);
    rotate();
    fleet.runUntil(Rotation.Proving.class);
    fleet.restoreCollection("orders", backup);
    fleet.runToEnd();
    assertInstanceOf(Completed.class, fleet.keystore().rotation());
    assertEquals(under(2, before), fleet.contents());
  }

  @Test
  void unreadableHeartbeat_keepsTheGateClosed() {
    var heartbeats = new Bucket.Expiring("process_heartbeats", RotationTestFleet.TIMINGS.expire());
    rotate();
    fleet.kv().put(heartbeats, new Key("main.stranger"), Value.of("{}"));
    for (int i = 0; i < 5; i++) {
      first.loop.tick();
    }
    assertInstanceOf(Rotation.Staged.class, fleet.keystore().rotation());
    assertInstanceOf(MalformedValueException.class, first.loop.lastFailure().orElseThrow());
  }

  @Test
  void unreachableCollection_delaysTheProof() {
    rotate();
    fleet.runUntil(Rotation.Sweeping.class);
    Records lost = fleet.removeCollection("orders");
    for (int i = 0; i < 20; i++) {
      fleet.advance(Duration.ofSeconds(15));
      fleet.heartbeatAll();
      first.loop.tick();
      second.loop.tick();
    }
    assertInstanceOf(Rotation.Sweeping.class, fleet.keystore().rotation());
    assertEquals("this process cannot reach fake orders", rotationProgress().note());
    fleet.restoreCollection("orders", lost);
    fleet.runToEnd();
    assertEquals(under(2, before), fleet.contents());
  }

  @Test
  void keystoreRestoredFromABackup_isHeld() {
    var bucket = new Bucket.Lasting("keystores");
    var key = new Key("main");
    var old = fleet.kv().get(bucket, key).orElseThrow().value();
    rotate();
    fleet.runToEnd();
    fleet.kv().put(bucket, key, old);
    fleet.heartbeatAll();
    assertInstanceOf(MembershipState.InSafeHold.class, api.membership.state());
    Refused refused = assertInstanceOf(Refused.class, first.operations.rotate(v(1), v(2)));
    assertEquals(
        "safe hold: fake orders was fenced in epoch 2, but the keystore is in epoch 1",
        refused.reason());
  }

  @Test
  void keystoreRestoredDuringARotation_isNotDriven() {
    var bucket = new Bucket.Lasting("keystores");
    var key = new Key("main");
    rotate();
    fleet.runUntil(Rotation.Rewrapping.class);
    var old = fleet.kv().get(bucket, key).orElseThrow().value();
    fleet.runToEnd();
    fleet.kv().put(bucket, key, old);
    for (int i = 0; i < 20; i++) {
      fleet.advance(Duration.ofSeconds(15));
      fleet.heartbeatAll();
      first.loop.tick();
      second.loop.tick();
    }
    assertInstanceOf(Rotation.Rewrapping.class, fleet.keystore().rotation());
    assertTrue(rotationProgress().note().startsWith("safe hold"), rotationProgress().note());
  }
}
