package keyfleet.control.rotation;

import static keyfleet.control.rotation.RotationTestFleet.under;
import static keyfleet.control.rotation.RotationTestFleet.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;
import keyfleet.control.PauseAtFailpoint;
import keyfleet.control.PauseAtFailpoint.Side;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.control.rotation.RotationTestFleet.Peer;
import keyfleet.keyring.ReadinessGate.AnyProcesses;
import keyfleet.keyring.ReadinessGate.NoFreshProcess;
import keyfleet.keyring.ReadinessGate.Ready;
import keyfleet.keyring.Rotation.Completed;
import org.junit.jupiter.api.Test;

/// Slow work on a fake clock: a long batch, and heartbeats that a reader sees late.
class RotationSlownessTest {
  private static final Duration BATCH = Duration.ofMinutes(10);

  private final RotationTestFleet fleet = new RotationTestFleet();

  /// The process keeps writing heartbeats, so it is not stale. But it writes no driver heartbeat,
  /// so another worker drives, and its own late write changes no rewrapped record.
  @Test
  void batchOfTenMinutes_keepsItsWorkerFreshAndTheRotationContinues() {
    Peer starter = fleet.worker("worker-0", 1, 2, 3, 4);
    fleet.bootstrap(starter);
    for (int i = 0; i < 5; i++) {
      starter.put("orders", "o" + i);
    }
    starter.stop();
    Map<String, String> before = fleet.contents();
    Peer other = fleet.worker("worker-2", 1, 2, 3, 4);
    Failpoints slowWrite =
        new PauseAtFailpoint(Failpoint.RECORD_WRITE, Side.BEFORE, 1, () -> passTenMinutes(other));
    Peer slow = fleet.worker("worker-1", slowWrite, 1, 2, 3, 4);
    fleet.heartbeatAll();
    fleet.heartbeatAll();
    slow.operations.rotate(v(1), v(2));
    slow.loop.tick();
    fleet.runToEnd();
    assertInstanceOf(Completed.class, fleet.keystore().rotation());
    assertEquals(under(2, before), fleet.contents());
    assertInstanceOf(AuditVerdict.Intact.class, other.keyring.keystores().reader().verify());
  }

  private void passTenMinutes(Peer other) {
    Duration heartbeat = RotationTestFleet.TIMINGS.heartbeat();
    long rewrappedBefore = other.loop.rewrappedRecords();
    for (Duration gone = Duration.ZERO; gone.compareTo(BATCH) < 0; gone = gone.plus(heartbeat)) {
      fleet.advance(heartbeat);
      fleet.heartbeatAll();
      assertTrue(isFresh(other, "worker-1"), () -> "stale in its batch: worker-1");
      other.loop.tick();
      other.loop.tick();
    }
    assertTrue(
        other.loop.rewrappedRecords() > rewrappedBefore, "no other worker adopted the rotation");
  }

  private static boolean isFresh(Peer reader, String instance) {
    return reader
        .keyring
        .readRoster(RotationTestFleet.TIMINGS)
        .fresh(RotationTestFleet.TIMINGS.fresh())
        .stream()
        .anyMatch(it -> it.instance().equals(instance));
  }

  /// A reader on a replica sees each heartbeat late. While the delay is below the fresh time, the
  /// gate is ready; above it, the gate is not ready and names no laggard.
  @Test
  void heartbeatsReadLate_areFreshWithinTheWindowAndNotReadyBeyond() {
    Peer worker = fleet.worker("worker-1", 1, 2, 3, 4);
    fleet.member("api-1", 1, 2, 3, 4);
    fleet.bootstrap(worker);
    fleet.heartbeatAll();
    ReadinessVerifier readinessVerifier = new ReadinessVerifier(worker.keyring, worker.keys);
    Duration lag = RotationTestFleet.TIMINGS.fresh().minusMillis(1);
    fleet.advance(lag);
    assertInstanceOf(
        Ready.class, readinessVerifier.verify(fleet.keystore(), v(2), new AnyProcesses()));
    fleet.advance(Duration.ofMillis(2));
    assertInstanceOf(
        NoFreshProcess.class, readinessVerifier.verify(fleet.keystore(), v(2), new AnyProcesses()));
  }
}
