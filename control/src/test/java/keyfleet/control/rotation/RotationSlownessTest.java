package keyfleet.control.rotation;

import static keyfleet.control.rotation.RotationTestFleet.under;
import static keyfleet.control.rotation.RotationTestFleet.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.control.rotation.RotationTestFleet.Peer;
import keyfleet.keyring.FleetReadiness.AnyProcesses;
import keyfleet.keyring.FleetReadiness.NoFreshProcess;
import keyfleet.keyring.FleetReadiness.Ready;
import keyfleet.keyring.Rotation.Completed;
import org.junit.jupiter.api.Test;

/// What takes long, on a clock that is moved: a batch, and heartbeats on their way to a reader.
class RotationSlownessTest {
  private static final Duration BATCH = Duration.ofMinutes(10);

  private final RotationTestFleet fleet = new RotationTestFleet();

  /// Lets time go by before the first write of records; meanwhile everybody else goes on.
  private static final class SlowFirstWrite implements Failpoints {
    private final Runnable meanwhile;
    private boolean isOver;

    SlowFirstWrite(Runnable meanwhile) {
      this.meanwhile = meanwhile;
    }

    @Override
    public <T> T at(Failpoint point, Supplier<T> effect) {
      if (point == Failpoint.RECORD_WRITE && !isOver) {
        isOver = true;
        meanwhile.run();
      }
      return effect.get();
    }
  }

  /// Its process beats on, so nobody takes it for stale; but it gives no sign as a driver, so
  /// another drives, and what it writes in the end changes nothing that was moved.
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
    Peer slow =
        fleet.worker("worker-1", new SlowFirstWrite(() -> passTenMinutes(other)), 1, 2, 3, 4);
    fleet.heartbeatAll();
    fleet.heartbeatAll();
    slow.operations.rotate(v(1), v(2));
    slow.loop.tick();
    fleet.runToEnd();
    assertInstanceOf(Completed.class, fleet.keystore().rotation());
    assertEquals(under(2, before), fleet.contents());
    assertInstanceOf(AuditVerdict.Intact.class, other.keyring.audit().verify());
  }

  private void passTenMinutes(Peer other) {
    Duration beat = RotationTestFleet.TIMINGS.heartbeat();
    long moved = other.loop.rewrapped();
    for (Duration gone = Duration.ZERO; gone.compareTo(BATCH) < 0; gone = gone.plus(beat)) {
      fleet.advance(beat);
      fleet.heartbeatAll();
      assertTrue(isFresh(other, "worker-1"), () -> "stale in its batch: worker-1");
      other.loop.tick();
      other.loop.tick();
    }
    assertTrue(other.loop.rewrapped() > moved, "nobody took over");
  }

  private static boolean isFresh(Peer reader, String instance) {
    return reader
        .keyring
        .readRoster(RotationTestFleet.TIMINGS)
        .fresh(RotationTestFleet.TIMINGS.fresh())
        .stream()
        .anyMatch(it -> it.instance().equals(instance));
  }

  /// A reader behind a replica sees every beat late. As long as that is less than what makes a
  /// process stale, the gate judges as ever; beyond, it is not ready, and blames nobody.
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
