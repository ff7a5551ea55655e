package keyfleet.control.rotation;

import static keyfleet.control.rotation.RotationTestFleet.under;
import static keyfleet.control.rotation.RotationTestFleet.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.control.rewrap.RewrapPass;
import keyfleet.control.rewrap.RotationProgress;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.RotationTestFleet.Peer;
import keyfleet.crypto.FieldLocation;
import keyfleet.crypto.SecretBytes;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Aborted;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.Rotation.Idle;
import keyfleet.keyring.VersionState;
import keyfleet.member.MembershipState;
import keyfleet.member.SealerResult;
import keyfleet.store.Bytes;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.Records;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Whole rotations by two workers, over stores in memory.
class RotationLoopTest {
  private static final int RECORDS = 2 * RewrapPass.MAX_BATCH + 1;

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

  private void fillMoreThanABatch() {
    for (int i = 0; i < RECORDS; i++) {
      api.put("customers", "c" + i);
    }
    before = fleet.contents();
  }

  private void rotate() {
    assertInstanceOf(Done.class, first.operations.rotate(v(1), v(2)));
  }

  private RotationProgress rotationProgress() {
    return first.keyring.readProgress().orElseThrow();
  }

  @Test
  void rotation_rewrapsEveryRecordAndKeepsEveryPlaintext() {
    fillMoreThanABatch();
    rotate();
    fleet.runToEnd();
    assertInstanceOf(Completed.class, fleet.keystore().rotation());
    assertEquals(under(2, before), fleet.contents());
    assertEquals(RECORDS + 3, rotationProgress().total());
    assertEquals(RECORDS + 3, rotationProgress().done());
    assertEquals(new TreeSet<>(Set.of(v(2))), orders().fence().orElseThrow().writable());
  }

  @Test
  void secondRotation_passesTheFenceOfTheFirst() {
    rotate();
    fleet.runToEnd();
    assertInstanceOf(Done.class, second.operations.rotate(v(2), v(3)));
    fleet.runToEnd();
    assertEquals(under(3, before), fleet.contents());
  }

  @Test
  void laggard_unstagesTheRotation() {
    fleet.member("api-2", 1);
    fleet.heartbeatAll();
    rotate();
    fleet.runToEnd();
    assertInstanceOf(Idle.class, fleet.keystore().rotation());
    assertEquals(VersionState.ANNOUNCED, fleet.keystore().stateOf(v(2)).orElseThrow());
    assertEquals("not ready: api-2 has not loaded it", rotationProgress().note());
    assertEquals(before, fleet.contents());
  }

  /// H2: a fleet without fresh processes is never ready.
  @Test
  void noFreshProcess_unstagesTheRotation() {
    rotate();
    fleet.advance(RotationTestFleet.TIMINGS.fresh().plusSeconds(1));
    first.loop.tick();
    first.loop.tick();
    assertInstanceOf(Idle.class, fleet.keystore().rotation());
    assertEquals("not ready: no process is fresh", rotationProgress().note());
  }

  /// H3: the process restarts without the new key between the gate and the flip.
  @Test
  void processRestartedWithoutTheKey_isReadOnlyAndDelaysTheFlip() {
    rotate();
    fleet.runUntil(Rotation.Rewrapping.class);
    Peer restarted = fleet.member("api-2", 1);
    fleet.heartbeatAll();
    assertInstanceOf(MembershipState.ReadOnly.class, restarted.membership.state());
    for (int i = 0; i < 20; i++) {
      first.loop.tick();
      second.loop.tick();
    }
    assertInstanceOf(Rotation.Rewrapping.class, fleet.keystore().rotation());
    assertEquals("not ready: api-2 has not loaded it", rotationProgress().note());
    restarted.provider.add(2);
    fleet.runToEnd();
    assertEquals(under(2, before), fleet.contents());
  }

  @Test
  void workerWithoutTheTarget_adoptsNothing() {
    first.stop();
    second.stop();
    Peer keyless = fleet.worker("worker-3", 1);
    fleet.heartbeatAll();
    rotate();
    for (int i = 0; i < 20; i++) {
      fleet.advance(Duration.ofSeconds(15));
      keyless.loop.tick();
    }
    Rotation.Staged staged = assertInstanceOf(Rotation.Staged.class, fleet.keystore().rotation());
    assertEquals("", staged.job().driver());
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        Rotation.OpeningFences.class,
        Rotation.Rewrapping.class,
        Rotation.Settling.class,
        Rotation.Fencing.class
      })
  void abortBeforeTheSweep_restoresTheOldVersion(Class<? extends Rotation> phase) {
    rotate();
    fleet.runUntil(phase);
    assertInstanceOf(Done.class, second.operations.abort());
    fleet.runToEnd();
    Keystore end = fleet.keystore();
    assertInstanceOf(Aborted.class, end.rotation());
    assertEquals(v(1), end.active());
    assertEquals(before, fleet.contents());
  }

  @ParameterizedTest
  @ValueSource(classes = {Rotation.Sweeping.class, Rotation.Proving.class})
  void abortAfterTheFence_isRefused(Class<? extends Rotation> phase) {
    rotate();
    fleet.runUntil(phase);
    assertInstanceOf(Refused.class, second.operations.abort());
    fleet.runToEnd();
    assertEquals(under(2, before), fleet.contents());
  }

  @Test
  void abortWhileStaged_endsAtOnce() {
    rotate();
    assertInstanceOf(Done.class, second.operations.abort());
    assertInstanceOf(Aborted.class, fleet.keystore().rotation());
  }

  /// The pass rewraps a record, then the application writes one of its fields under v1. After the
  /// abort the record belongs to v1 and still carries v2.
  @Test
  void abortWithAMixedRecord_restoresBothFields() {
    fillMoreThanABatch();
    rotate();
    fleet.runUntil(Rotation.Rewrapping.class);
    currentDriver().loop.tick();
    mix("customers", "c0");
    assertInstanceOf(Done.class, second.operations.abort());
    fleet.runToEnd();
    assertInstanceOf(Aborted.class, fleet.keystore().rotation());
    assertEquals(before, fleet.contents());
  }

  @Test
  void mixedRecord_isRewrappedWithAllItsFields() {
    rotate();
    fleet.runUntil(Rotation.Rewrapping.class);
    currentDriver().loop.tick();
    mix("orders", "o1");
    fleet.runToEnd();
    assertEquals(under(2, before), fleet.contents());
  }

  private Peer currentDriver() {
    Rotation.Running running =
        assertInstanceOf(Rotation.Running.class, fleet.keystore().rotation());
    return running.job().isDrivenBy("worker-1") ? first : second;
  }

  /// The application writes one field of a rewrapped record under the version that is still active.
  private void mix(String collection, String id) {
    StoredRecord moved = fleet.records(collection).read(new RecordId(id)).orElseThrow();
    assertEquals(Set.of(v(2)), moved.fields().versions());
    Map<String, Bytes> fields =
        Map.of(
            "name", api.seal(collection, id, "name"),
            "card", moved.fields().byName().getOrDefault("card", Bytes.copyOf(new byte[0])));
    assertInstanceOf(
        RecordWriteResult.Stored.class,
        fleet.records(collection).compareAndSet(new RecordChange(moved, SealedFields.of(fields))));
  }

  /// H1: the writer sealed with a lease, pauses for the whole rotation, and then writes.
  @Test
  void writerPausedBetweenSealAndWrite_isFenced() {
    StoredRecord late = api.record("orders", "late");
    api.stop();
    rotate();
    fleet.runToEnd();
    assertInstanceOf(RecordWriteResult.Fenced.class, orders().insert(late));
    assertEquals(under(2, before), fleet.contents());
    assertInstanceOf(
        SealerResult.LeaseExpired.class,
        api.sealer("orders").seal(new FieldLocation("orders", "x", "name"), anySecret()));
  }

  private static SecretBytes anySecret() {
    return SecretBytes.copyOf(new byte[1]);
  }

  private Records orders() {
    return fleet.records("orders");
  }

  @Test
  void collectionRegisteredDuringRewrap_isSweptToo() {
    rotate();
    fleet.runUntil(Rotation.Rewrapping.class);
    api.put("invoices", "i0");
    before = fleet.contents();
    fleet.runToEnd();
    assertEquals(under(2, before), fleet.contents());
  }

  @Test
  void pausedRotation_doesNotProgress() {
    rotate();
    fleet.runUntil(Rotation.Rewrapping.class);
    assertInstanceOf(Done.class, second.operations.pause());
    for (int i = 0; i < 20; i++) {
      fleet.advance(Duration.ofSeconds(15));
      fleet.heartbeatAll();
      assertEquals(RotationLoop.NextTick.LATER, first.loop.tick());
      assertEquals(RotationLoop.NextTick.LATER, second.loop.tick());
    }
    assertInstanceOf(Done.class, second.operations.resume());
    fleet.runToEnd();
    assertEquals(under(2, before), fleet.contents());
  }

  /// The process may be paused or dead; only its lease counts.
  @Test
  void silentProcess_delaysSettlingForALease() {
    Peer silent = fleet.member("api-asleep", 1, 2);
    fleet.heartbeatAll();
    silent.stop();
    rotate();
    fleet.runUntil(Rotation.Settling.class);
    long flipped = fleet.nanos();
    fleet.runUntil(Rotation.Fencing.class);
    assertTrue(
        fleet.nanos() - flipped >= RotationTestFleet.TIMINGS.lease().toNanos(),
        () -> "settled after " + Duration.ofNanos(fleet.nanos() - flipped));
  }

  @Test
  void allProcessesFresh_settlesAtTheirNextHeartbeat() {
    rotate();
    fleet.runUntil(Rotation.Settling.class);
    long flipped = fleet.nanos();
    fleet.runUntil(Rotation.Fencing.class);
    assertTrue(
        fleet.nanos() - flipped < RotationTestFleet.TIMINGS.lease().toNanos(),
        "it waits for no lease");
  }

  @Test
  void liveDriver_isNotReplaced() {
    rotate();
    fleet.runUntil(Rotation.Settling.class);
    String driver = driver();
    Peer silent = fleet.member("api-asleep", 1, 2);
    silent.membership.runRound();
    silent.stop();
    fleet.runToEnd();
    assertEquals(
        driver, assertInstanceOf(Completed.class, fleet.keystore().rotation()).job().driver());
  }

  private String driver() {
    return Rotation.unfinishedJob(fleet.keystore().rotation()).orElseThrow().driver();
  }

  @Test
  void silentDriver_isReplacedAfterTheAdoptTimeAndNotBefore() {
    rotate();
    fleet.runUntil(Rotation.Rewrapping.class);
    Peer successor = currentDriver() == first ? second : first;
    String dead = driver();
    currentDriver().stop();
    successor.loop.tick();
    fleet.advance(RotationTestFleet.TIMINGS.adopt().minusMillis(1));
    fleet.heartbeatAll();
    successor.loop.tick();
    assertEquals(dead, driver());
    fleet.advance(Duration.ofMillis(1));
    successor.loop.tick();
    assertNotEquals(dead, driver());
    fleet.runToEnd();
    assertEquals(under(2, before), fleet.contents());
  }
}
