package keyfleet.control.rotation;

import static keyfleet.control.rotation.RotationTestFleet.under;
import static keyfleet.control.rotation.RotationTestFleet.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import keyfleet.control.CrashAtFailpoint;
import keyfleet.control.CrashAtFailpoint.Crashed;
import keyfleet.control.Failpoint;
import keyfleet.control.PauseAtFailpoint.Side;
import keyfleet.control.audit.AuditChange;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.control.rotation.RotationTestFleet.Peer;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.RotationId;
import keyfleet.keyring.VersionState;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// A driver crashes before or after each of its effects. Another worker finishes the rotation (P4),
/// and no plaintext is lost or changed (P5).
class RotationFailpointTest {
  /// The first call, and some later ones: a fence is raised in two phases, a keystore written in
  /// ten.
  private static final int[] OCCASIONS = {1, 2, 3, 7};

  static Stream<Arguments> crashes() {
    return EnumSet.range(Failpoint.KEYSTORE_READ, Failpoint.CENSUS).stream()
        .flatMap(point -> Stream.of(Side.values()).map(side -> Arguments.of(point, side)));
  }

  @ParameterizedTest
  @MethodSource("crashes")
  void driverCrash_losesNothingAndASuccessorFinishes(Failpoint point, Side side) {
    for (int occasion : OCCASIONS) {
      CrashAtFailpoint crash = new CrashAtFailpoint(point, side, occasion);
      crashAndSucceed(crash);
      assertTrue(occasion > 1 || crash.hasCrashed(), () -> point + " is never reached");
    }
  }

  private static void crashAndSucceed(CrashAtFailpoint crash) {
    RotationTestFleet fleet = new RotationTestFleet();
    Peer api = fleet.member("api-1", 1, 2, 3, 4);
    Peer starter = fleet.worker("worker-0", 1, 2, 3, 4);
    fleet.bootstrap(starter);
    for (int i = 0; i < 3; i++) {
      api.put("orders", "o" + i);
      api.put("customers", "c" + i);
    }
    starter.stop();
    Map<String, String> before = fleet.contents();
    Peer crashing = fleet.worker("worker-1", crash, 1, 2, 3, 4);
    fleet.heartbeatAll();
    try {
      rotateAndDisable(fleet, starter, crashing);
    } catch (Crashed e) {
      crashing.stop();
      Peer successor = fleet.worker("worker-2", 1, 2, 3, 4);
      fleet.heartbeatAll();
      rotateAndDisable(fleet, starter, successor);
    }
    assertInstanceOf(Completed.class, fleet.keystore().rotation());
    assertEquals(under(2, before), fleet.contents());
    assertEquals(VersionState.DISABLED, fleet.keystore().stateOf(v(1)).orElseThrow());
    assertInstanceOf(AuditVerdict.Intact.class, starter.keyring.keystores().reader().verify());
  }

  /// An operator and a worker in one: starts the rotation unless it was started, adopts it from a
  /// driver that is gone, drives it, reads its progress, and disables the old version.
  private static void rotateAndDisable(RotationTestFleet fleet, Peer starter, Peer peer) {
    peer.operations.writeIntent("put secret a", List.of(AuditChange.ofSecretIntent("a", "", "d")));
    if (fleet.keystore().rotation() instanceof Rotation.Idle) {
      peer.operations.rotate(v(1), v(2));
      starter.loop.tick();
    }
    peer.keyring.writeRate(new RotationRate(new RotationId("r"), 0));
    fleet.runToEnd();
    fleet.advance(RotationTestFleet.TIMINGS.expire());
    fleet.heartbeatAll();
    fleet.heartbeatAll();
    peer.keyring.readProgress();
    peer.removals.disable(v(1));
    peer.keyring.keystores().reader().verify();
  }
}
