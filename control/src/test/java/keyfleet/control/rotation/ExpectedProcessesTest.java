package keyfleet.control.rotation;

import static keyfleet.control.rotation.RotationTestFleet.under;
import static keyfleet.control.rotation.RotationTestFleet.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.RotationTestFleet.Peer;
import keyfleet.keyring.ReadinessGate.AtLeast;
import keyfleet.keyring.ReadinessGate.ExpectedProcesses;
import keyfleet.keyring.ReadinessGate.Named;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.Rotation.Idle;
import keyfleet.keyring.Rotation.Rewrapping;
import keyfleet.keyring.RotationJob.Kind;
import org.junit.jupiter.api.Test;

/// A rotation that expects a number of processes, or named processes.
class ExpectedProcessesTest {
  private static final int MANY = 20;

  private final RotationTestFleet fleet = new RotationTestFleet();
  private final Peer api = fleet.member("api-1", 1, 2, 3, 4);
  private final Peer first = fleet.worker("worker-1", 1, 2, 3, 4);
  private final Peer second = fleet.worker("worker-2", 1, 2, 3, 4);

  private void start(ExpectedProcesses expectedProcesses) {
    fleet.bootstrap(first);
    api.put("orders", "o1");
    assertInstanceOf(
        Done.class, first.operations.start(Kind.ROTATION, v(1), v(2), expectedProcesses));
  }

  private String note() {
    return first.keyring.readProgress().orElseThrow().note();
  }

  private void passTime() {
    for (int i = 0; i < MANY; i++) {
      fleet.advance(RotationTestFleet.TIMINGS.heartbeat().dividedBy(2));
      fleet.heartbeatAll();
      second.loop.tick();
    }
  }

  @Test
  void fewerThanExpected_unstagesTheRotation() {
    start(new AtLeast(4));
    fleet.runToEnd();
    assertInstanceOf(Idle.class, fleet.keystore().rotation());
    assertEquals("not ready: 1 of 4 processes is missing", note());
  }

  @Test
  void missingNamedProcess_unstagesTheRotation() {
    start(new Named(new TreeSet<>(List.of("api-1", "api-2"))));
    fleet.runToEnd();
    assertInstanceOf(Idle.class, fleet.keystore().rotation());
    assertEquals("not ready: api-2 is missing", note());
  }

  /// The first driver is gone, and so is a process that it counted.
  @Test
  void adopter_waitsForTheExpectedProcessesBeforeTheFlip() {
    start(new AtLeast(3));
    Map<String, String> before = fleet.contents();
    fleet.runUntil(Rewrapping.class);
    first.stop();
    api.stop();
    passTime();
    Rotation waiting = fleet.keystore().rotation();
    assertInstanceOf(Rewrapping.class, waiting);
    assertEquals("worker-2", Rotation.unfinishedJob(waiting).orElseThrow().driver());
    assertEquals("not ready: 2 of 3 processes is missing", note());
    fleet.member("api-2", 1, 2);
    fleet.member("api-3", 1, 2);
    fleet.runToEnd();
    assertInstanceOf(Completed.class, fleet.keystore().rotation());
    assertEquals(under(2, before), fleet.contents());
  }
}
