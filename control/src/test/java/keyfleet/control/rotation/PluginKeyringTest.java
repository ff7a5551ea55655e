package keyfleet.control.rotation;

import static keyfleet.control.rotation.RotationTestFleet.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.RotationTestFleet.Peer;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.VersionRemoval.FenceWaiver;
import keyfleet.keyring.VersionState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A keyring whose objects are in the etcd of a cluster: it rotates any number of times, and an old
/// version stays until an operator attests that nothing needs it.
class PluginKeyringTest {
  private static final String PLUGIN = "plugin-1";

  private final RotationTestFleet fleet = new RotationTestFleet();
  private final Peer plugin = fleet.member(PLUGIN, 1, 2, 3, 4);
  private final Peer worker = fleet.worker("worker-1", 1, 2, 3, 4);

  @BeforeEach
  void announce() {
    fleet.bootstrap(worker, Keystore.Use.KMS);
  }

  private void tick(int minutes) {
    for (int i = 0; i < minutes; i++) {
      fleet.advance(Duration.ofMinutes(1));
      fleet.heartbeatAll();
      worker.loop.tick();
    }
  }

  private String note() {
    return plugin.keyring.readProgress().orElseThrow().note();
  }

  private void rotate(int from, int to) {
    assertInstanceOf(Done.class, worker.operations.rotate(v(from), v(to)));
    fleet.runUntil(Rotation.Proving.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "blue"})
  void rotation_flipsAndStaysInProvingWithTheReason(String cluster) {
    if (!cluster.isEmpty()) {
      fleet.registerCluster(cluster);
    }
    rotate(1, 2);
    assertEquals(v(2), fleet.keystore().active());
    tick(10);
    assertInstanceOf(Rotation.Proving.class, fleet.keystore().rotation());
    assertTrue(note().contains("etcd") && note().contains(cluster), note());
  }

  /// A keyring could rotate once in its life: nothing led on from proving.
  @Test
  void nextRotation_startsWhileTheProofIsOutstanding() {
    fleet.registerCluster("blue");
    rotate(1, 2);
    rotate(2, 3);
    assertEquals(v(3), fleet.keystore().active());
    attest(1);
    tick(3);
    assertInstanceOf(Rotation.Proving.class, fleet.keystore().rotation());
    assertTrue(note().contains("v2"), note());
    attest(2);
    fleet.runUntil(Rotation.Completed.class);
  }

  private void attest(int version) {
    assertInstanceOf(
        Done.class, worker.operations.attest(v(version), "blue", "the test rewrote its objects"));
  }

  @Test
  void attestedVersion_isRemoved_andDestroyedOnlyWithAWaivedFence() {
    fleet.registerCluster("blue");
    rotate(1, 2);
    attest(1);
    fleet.runUntil(Rotation.Completed.class);
    fleet.heartbeatAll();
    assertInstanceOf(Done.class, worker.removals.disable(v(1)));
    String refusal = refusal(worker.removals.destroy(v(1), Duration.ZERO, FenceWaiver.NONE));
    assertTrue(refusal.contains("cluster blue has no fence"), refusal);
    assertInstanceOf(Done.class, worker.removals.destroy(v(1), Duration.ZERO, FenceWaiver.GIVEN));
  }

  @Test
  void silentPlugin_holdsUpTheGateUntilItIsForgotten() {
    fleet.rememberPlugin("blue", "plugin-2");
    assertInstanceOf(Done.class, worker.operations.rotate(v(1), v(2)));
    tick(3);
    assertInstanceOf(Rotation.Idle.class, fleet.keystore().rotation());
    assertTrue(note().contains("plugin plugin-2 is silent"), note());
    assertEquals(
        "worker-1 is running; stop it, and it leaves by itself",
        refusal(worker.fleetOperations.forget(fleet.keystore(), "worker-1")));
    assertEquals(
        "no process plugin-9 is known",
        refusal(worker.fleetOperations.forget(fleet.keystore(), "plugin-9")));
    assertInstanceOf(Done.class, worker.fleetOperations.forget(fleet.keystore(), "plugin-2"));
    rotate(1, 2);
  }

  /// It still announces version 1, so its API server still writes under it.
  @Test
  void pluginThatDoesNotAnnounceTheNewVersion_isWaitedFor() {
    fleet.registerCluster("blue");
    fleet.rememberPlugin("blue", PLUGIN);
    KekVersion[] announced = {v(1)};
    plugin.membership.reportCurrent(_ -> announced[0]);
    assertInstanceOf(Done.class, worker.operations.rotate(v(1), v(2)));
    tick(10);
    assertInstanceOf(Rotation.Settling.class, fleet.keystore().rotation());
    assertEquals("plugins that do not announce v2 yet: plugin-1", note());
    announced[0] = v(2);
    fleet.runUntil(Rotation.Proving.class);
  }

  @Test
  void abortWhileProving_isAFlipToANewKeyIdOfTheOldVersion() {
    fleet.registerCluster("blue");
    rotate(1, 2);
    assertInstanceOf(Done.class, worker.operations.abort());
    fleet.runUntil(Rotation.Proving.class);
    assertEquals(new Keystore.Activation(v(1), 3), fleet.keystore().activations().getLast());
    attest(2);
    fleet.runUntil(Rotation.Aborted.class);
    assertEquals(VersionState.ANNOUNCED, fleet.keystore().stateOf(v(2)).orElseThrow());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "blue"})
  void removal_isRefusedWithTheReason(String cluster) {
    if (!cluster.isEmpty()) {
      fleet.registerCluster(cluster);
    }
    rotate(1, 2);
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
