package keyfleet.control.rotation;

import static keyfleet.control.rotation.RotationTestFleet.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.RotationTestFleet.Peer;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.VersionRemoval.FenceWaiver;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A keyring whose objects are in the etcd of a cluster: it rotates, and its old versions stay.
class PluginKeyringTest {
  private final RotationTestFleet fleet = new RotationTestFleet();
  private final Peer plugin = fleet.member("plugin-1", 1, 2, 3, 4);
  private final Peer worker = fleet.worker("worker-1", 1, 2, 3, 4);

  @BeforeEach
  void announce() {
    fleet.bootstrap(worker, Keystore.Use.KMS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "blue"})
  void rotation_flipsAndStaysInProvingWithTheReason(String cluster) {
    if (!cluster.isEmpty()) {
      fleet.registerCluster(cluster);
    }
    assertInstanceOf(Done.class, worker.operations.rotate(v(1), v(2)));
    fleet.runUntil(Rotation.Proving.class);
    assertEquals(v(2), fleet.keystore().active());
    for (int i = 0; i < 10; i++) {
      fleet.advance(Duration.ofMinutes(1));
      fleet.heartbeatAll();
      worker.loop.tick();
    }
    assertInstanceOf(Rotation.Proving.class, fleet.keystore().rotation());
    String note = plugin.keyring.readProgress().orElseThrow().note();
    assertTrue(note.contains("etcd") && note.contains(cluster), note);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "blue"})
  void removal_isRefusedWithTheReason(String cluster) {
    if (!cluster.isEmpty()) {
      fleet.registerCluster(cluster);
    }
    worker.operations.rotate(v(1), v(2));
    fleet.runUntil(Rotation.Proving.class);
    fleet.heartbeatAll();
    String disabling = refusal(worker.removals.disable(v(1)));
    assertTrue(disabling.contains("etcd") && disabling.contains(cluster), disabling);
    String destroying = refusal(worker.removals.destroy(v(1), Duration.ZERO, FenceWaiver.NONE));
    assertTrue(destroying.contains("etcd") && destroying.contains(cluster), destroying);
  }

  private static String refusal(KeyringOperations.Result result) {
    return assertInstanceOf(Refused.class, result).reason();
  }
}
