package keyfleet.control.rotation;

import static keyfleet.control.rotation.RotationTestFleet.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;
import keyfleet.control.audit.AuditedKeystoreStore;
import keyfleet.control.rotation.KeyringOperations.Contended;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.RotationTestFleet.Peer;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.VersionState;
import keyfleet.store.RecordWriteResult;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Operations on a keystore that other processes change at the same time.
class KeystoreContentionTest {
  private final RotationTestFleet fleet = new RotationTestFleet();
  private final FasterProcess faster = new FasterProcess();
  private final Peer operator = fleet.worker("worker-1", faster, 1, 2);
  private final Peer other = fleet.member("api-1", 1, 2);

  /// Changes the keystore right before this process does.
  private final class FasterProcess implements Failpoints {
    private int changes;
    private int made;

    @Override
    public <T> T at(Failpoint point, Supplier<T> effect) {
      if (point == Failpoint.KEYSTORE_WRITE && made < changes) {
        made++;
        AuditedKeystoreStore keystores = other.keyring.keystores();
        assertTrue(keystores.tie(keystores.read().orElseThrow(), List.of()));
      }
      return effect.get();
    }
  }

  @BeforeEach
  void bootstrap() {
    fleet.bootstrap(operator);
  }

  private Duration now() {
    return Duration.ofNanos(fleet.nanos());
  }

  @Test
  void tenLostRaces_areRetriedAndTheOperationSucceeds() {
    faster.changes = 10;
    assertInstanceOf(Done.class, operator.operations.withdraw(v(2)));
    assertEquals(10, faster.made);
    assertEquals(VersionState.WITHDRAWN, fleet.keystore().stateOf(v(2)).orElseThrow());
  }

  @Test
  void resolutionOfAHold_isRetriedToo() {
    assertInstanceOf(RecordWriteResult.Stored.class, operator.put("orders", "o-1"));
    Runnable backup = fleet.kv().checkpoint();
    assertInstanceOf(Done.class, operator.operations.rotate(v(1), v(2)));
    fleet.runUntil(Rotation.Completed.class);
    backup.run();
    fleet.heartbeatAll();
    faster.changes = 3;
    assertInstanceOf(Done.class, operator.holds.adoptFences());
    assertEquals(3, faster.made);
    assertEquals(v(2), fleet.keystore().active());
  }

  @Test
  void racesThatNeverEnd_areGivenUpAtTheTimeLimit() {
    faster.changes = Integer.MAX_VALUE;
    Duration start = now();
    assertInstanceOf(Contended.class, operator.operations.withdraw(v(2)));
    Duration waited = now().minus(start);
    assertTrue(
        waited.compareTo(ConflictRetry.TIME_LIMIT) >= 0
            && waited.compareTo(ConflictRetry.TIME_LIMIT.multipliedBy(2)) < 0,
        waited::toString);
    assertTrue(faster.made < 100, () -> faster.made + " attempts");
    assertEquals(VersionState.ANNOUNCED, fleet.keystore().stateOf(v(2)).orElseThrow());
  }
}
