package keyfleet.control.rotation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import keyfleet.control.CrashAtFailpoint;
import keyfleet.control.CrashAtFailpoint.Crashed;
import keyfleet.control.Failpoint;
import keyfleet.control.PauseAtFailpoint.Side;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.control.rotation.RotationTestFleet.Peer;
import keyfleet.keyring.Keystore;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// An operator's process crashes before or after each effect of taking a plugin or a collection out
/// of the fleet. The operator repeats the command, and it succeeds.
class FleetFailpointTest {
  static Stream<Arguments> crashes() {
    return EnumSet.range(Failpoint.PLUGINS_READ, Failpoint.COLLECTION_UNREGISTER).stream()
        .flatMap(point -> Stream.of(Side.values()).map(side -> Arguments.of(point, side)));
  }

  @ParameterizedTest
  @MethodSource("crashes")
  void operatorCrash_isMendedByRepeatingTheCommand(Failpoint point, Side side) {
    RotationTestFleet fleet = new RotationTestFleet();
    Peer worker = fleet.worker("worker-1", 1, 2, 3, 4);
    fleet.bootstrap(worker, Keystore.Use.KMS);
    var _ = worker.put("orders", "o-1");
    fleet.dropCollection("orders");
    fleet.rememberPlugin("blue", "plugin-2");
    CrashAtFailpoint crash = new CrashAtFailpoint(point, side, 1);
    Peer crashing = fleet.worker("operator", crash, 1, 2, 3, 4);
    try {
      takeOut(fleet, crashing);
    } catch (Crashed e) {
      takeOut(fleet, worker);
    }
    assertTrue(crash.hasCrashed(), () -> point + " is never reached");
    assertEquals(List.of(), worker.keyring.readKnownPlugins(fleet.keystore()));
    assertEquals(List.of(), worker.fleetOperations.listCollections());
    assertInstanceOf(AuditVerdict.Intact.class, worker.keyring.keystores().reader().verify());
  }

  private static void takeOut(RotationTestFleet fleet, Peer peer) {
    var _ = peer.fleetOperations.forget(fleet.keystore(), "plugin-2");
    peer.fleetOperations.listCollections().forEach(it -> peer.fleetOperations.unregister(it));
  }
}
