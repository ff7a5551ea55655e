package keyfleet.kms.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import keyfleet.keyring.Keystore;
import keyfleet.kms.FakeRemoteProvider;
import keyfleet.kms.KmsPluginFixture;
import keyfleet.kms.TestKeyring;
import keyfleet.kms.localkek.KeyHierarchy;
import keyfleet.kms.v2.EncryptResponse;
import keyfleet.member.process.ProcessEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the plugin announces while keys change and the store and the remote fail and recover.
final class KeyReconcilerTest {
  private static final Duration LONG = Duration.ofMinutes(2);

  @TempDir Path folder;
  private final FakeRemoteProvider remote = new FakeRemoteProvider(1, 2);
  private final TestKeyring keyring = new TestKeyring(remote);

  private Path file() {
    return folder.resolve("s.json");
  }

  private KmsPluginFixture newPlugin() {
    return new KmsPluginFixture(file(), remote);
  }

  private KmsPluginFixture newPluginWithKeystore() {
    return newPlugin().receiveKeystore(keyring.keystore());
  }

  private static Status.Code status(KmsPluginFixture plugin) {
    return plugin.statusCall().refusal().getCode();
  }

  @Test
  void statusAndEncrypt_returnTheSameKeyId() {
    KmsPluginFixture plugin = newPluginWithKeystore();
    assertEquals(plugin.keyId(), plugin.encrypt("x").getKeyId());
    assertEquals("ok", plugin.statusCall().answer().getHealthz());
    assertEquals("v2", plugin.statusCall().answer().getVersion());
  }

  @Test
  void announcedAndStagedVersion_changesNothingInStatus() {
    KmsPluginFixture plugin = newPluginWithKeystore();
    String before = plugin.keyId();
    plugin.receiveKeystore(keyring.announce(2));
    assertEquals(before, plugin.keyId());
    plugin.receiveKeystore(keyring.stage(2));
    assertEquals(before, plugin.keyId());
  }

  @Test
  void flip_changesStatusAndEncryptAtOnce_andOldValuesStayReadable() {
    KmsPluginFixture plugin = newPluginWithKeystore();
    EncryptResponse old = plugin.encrypt("old");
    plugin.receiveKeystore(keyring.announceAndFlip(2));
    EncryptResponse now = plugin.encrypt("new");
    assertNotEquals(old.getKeyId(), now.getKeyId());
    assertEquals(plugin.keyId(), now.getKeyId());
    assertEquals("old", plugin.decrypt(old));
    assertEquals("new", plugin.decrypt(now));
  }

  @Test
  void keyThatReturns_neverReusesAKeyId() {
    KmsPluginFixture plugin = newPluginWithKeystore();
    Set<String> seen = new HashSet<>(List.of(plugin.keyId()));
    plugin.receiveKeystore(keyring.announceAndFlip(2));
    assertTrue(seen.add(plugin.keyId()), "the flip kept the key_id");
    plugin.receiveKeystore(keyring.abort());
    assertEquals(1, keyring.keystore().active().number());
    assertTrue(seen.add(plugin.keyId()), "version 1 came back under an old key_id");
  }

  @Test
  void newKeyThatCannotBeUsedYet_leavesTheOldOneAnnounced() {
    KmsPluginFixture plugin = newPluginWithKeystore();
    String before = plugin.keyId();
    keyring.announce(2);
    keyring.stage(2);
    remote.hide(2);
    plugin.leaveFleet();
    plugin.receiveKeystore(keyring.flip());
    assertEquals(before, plugin.keyId());
    assertEquals(before, plugin.encrypt("x").getKeyId());
    remote.give(2);
    plugin.leaveFleet().advance(LONG);
    assertNotEquals(before, plugin.keyId());
  }

  @Test
  void storeDownAfterStart_encryptAndDecryptStillWork() {
    KmsPluginFixture plugin = newPluginWithKeystore();
    EncryptResponse before = plugin.encrypt("before");
    plugin.leaveFleet().advance(LONG);
    assertEquals("before", plugin.decrypt(before));
    assertEquals(before.getKeyId(), plugin.encrypt("after").getKeyId());
  }

  @Test
  void storeDownBeforeStart_servesFromTheSnapshot() {
    EncryptResponse before = newPluginWithKeystore().encrypt("before");
    KmsPluginFixture restarted = newPlugin().leaveFleet();
    assertEquals(before.getKeyId(), restarted.keyId());
    assertEquals("before", restarted.decrypt(before));
    assertEquals(before.getKeyId(), restarted.encrypt("after").getKeyId());
  }

  @Test
  void neitherSnapshotNorStore_isUnavailableUntilTheStoreAnswers() {
    KmsPluginFixture plugin = newPlugin().leaveFleet();
    assertEquals(Status.Code.UNAVAILABLE, status(plugin));
    assertEquals(Status.Code.UNAVAILABLE, plugin.encryptRefusal().getCode());
    plugin.receiveKeystore(keyring.keystore());
    assertEquals(plugin.keyId(), plugin.encrypt("x").getKeyId());
  }

  @Test
  void remoteDownAtStart_isUnavailableUntilItReturns() {
    String keyId = newPluginWithKeystore().keyId();
    remote.fail();
    KmsPluginFixture restarted = newPlugin().leaveFleet();
    assertEquals(Status.Code.UNAVAILABLE, status(restarted));
    assertEquals(Status.Code.UNAVAILABLE, restarted.encryptRefusal().getCode());
    remote.recover();
    restarted.advance(LONG);
    assertEquals(keyId, restarted.keyId());
  }

  @Test
  void remoteDownAfterStart_servesCachedKeysAndKeepsWriting() {
    EncryptResponse other = newPluginWithKeystore().encrypt("of another plugin");
    KmsPluginFixture plugin = newPluginWithKeystore();
    EncryptResponse own = plugin.encrypt("own");
    assertEquals("of another plugin", plugin.decrypt(other));
    EncryptResponse cold = newPluginWithKeystore().encrypt("cold");
    remote.fail();
    plugin.advance(LONG);
    assertEquals(own.getKeyId(), plugin.encrypt("more").getKeyId());
    assertEquals("own", plugin.decrypt(own));
    assertEquals("of another plugin", plugin.decrypt(other));
    assertEquals(
        Status.Code.UNAVAILABLE,
        plugin.decryptRefusal(KmsPluginFixture.decryptRequestFor(cold)).getCode());
    remote.recover();
    assertEquals("cold", plugin.decrypt(cold));
  }

  @Test
  void hierarchyOff_remoteDown_statusRefusesAfterAProbe() {
    KmsPluginFixture plugin =
        new KmsPluginFixture(file(), remote, KeyHierarchy.OFF, KmsPluginFixture.LIMITS)
            .receiveKeystore(keyring.keystore());
    assertEquals(plugin.keyId(), plugin.encrypt("x").getKeyId());
    remote.fail();
    assertEquals(Status.Code.UNAVAILABLE, plugin.encryptRefusal().getCode());
    plugin.advance(KmsPluginFixture.PROBE);
    assertEquals(Status.Code.UNAVAILABLE, status(plugin));
    plugin.advance(LONG);
    assertEquals(Status.Code.UNAVAILABLE, status(plugin));
    remote.recover();
    plugin.advance(LONG);
    assertEquals(plugin.keyId(), plugin.encrypt("x").getKeyId());
  }

  @Test
  void versionAddedAtTheRemote_isOnlyACandidate() {
    KmsPluginFixture plugin = newPluginWithKeystore();
    String before = plugin.keyId();
    remote.give(3);
    plugin.leaveFleet();
    assertEquals(before, plugin.keyId());
    assertEquals(2, plugin.reconciler.candidateCount());
    assertTrue(
        plugin.events.contains(
            ProcessEvent.info(
                "the provider has v3, which is not announced: a candidate."
                    + " Try: keyfleet kek announce --version=3 --keyring=kms")),
        () -> "no event: " + plugin.events);
    plugin.receiveKeystore(keyring.announce(2));
    plugin.receiveKeystore(keyring.announce(3));
    assertEquals(0, plugin.reconciler.candidateCount());
    assertEquals(before, plugin.keyId());
  }

  @Test
  void lowerEpoch_isNeverAnnounced() {
    Keystore old = keyring.keystore();
    KmsPluginFixture plugin = newPluginWithKeystore();
    plugin.receiveKeystore(keyring.announceAndFlip(2));
    String keyId = plugin.keyId();
    plugin.receiveKeystore(old);
    assertEquals(keyId, plugin.keyId());
    KmsPluginFixture restarted = newPlugin().receiveKeystore(old);
    assertEquals(keyId, restarted.keyId());
    assertTrue(
        restarted.events.stream()
            .anyMatch(it -> it.message().startsWith("ignoring the keystore in the store: ")),
        () -> "no event: " + restarted.events);
  }

  @Test
  void anotherHistory_stopsWriting_andStillReads() {
    remote.give(3);
    TestKeyring restored = new TestKeyring(remote);
    KmsPluginFixture plugin = newPlugin().receiveKeystore(restored.keystore());
    plugin.receiveKeystore(restored.announceAndFlip(2));
    EncryptResponse written = plugin.encrypt("written");
    TestKeyring other = new TestKeyring(remote);
    plugin.receiveKeystore(other.announceAndFlip(3));
    assertEquals(Status.Code.FAILED_PRECONDITION, status(plugin));
    assertEquals(Status.Code.FAILED_PRECONDITION, plugin.encryptRefusal().getCode());
    assertEquals("written", plugin.decrypt(written));
    plugin.receiveKeystore(restored.keystore()).advance(LONG);
    assertEquals(written.getKeyId(), plugin.keyId());
  }

  @Test
  void keyringForRecords_isRefusedWithASentence() {
    KmsPluginFixture plugin =
        newPlugin().receiveKeystore(new TestKeyring(remote, Keystore.Use.RECORDS).keystore());
    Status refusal = plugin.statusCall().refusal();
    assertEquals(Status.Code.FAILED_PRECONDITION, refusal.getCode());
    assertTrue(String.valueOf(refusal.getDescription()).contains("--use kms"), refusal::toString);
  }

  @Test
  void unloadedKey_stopsWriting() {
    KmsPluginFixture plugin = newPluginWithKeystore();
    remote.hide(1);
    plugin.leaveFleet();
    assertEquals(Status.Code.UNAVAILABLE, status(plugin));
    assertEquals(Status.Code.UNAVAILABLE, plugin.encryptRefusal().getCode());
    remote.give(1);
    plugin.leaveFleet().advance(LONG);
    assertEquals(plugin.keyId(), plugin.encrypt("x").getKeyId());
  }

  @Test
  void crashBetweenSnapshotAndAnnouncement_announcesTheNewKeyAfterRestart() {
    KmsPluginFixture plugin = newPluginWithKeystore();
    String before = plugin.keyId();
    Keystore flipped = keyring.announceAndFlip(2);
    // What a plugin has written when it dies before it announces the key.
    new PluginSnapshotFile(file())
        .write(new PluginSnapshot(flipped, flipped.activations().getLast()));
    KmsPluginFixture restarted = newPlugin().leaveFleet();
    assertNotEquals(before, restarted.keyId());
    assertEquals(restarted.keyId(), restarted.encrypt("x").getKeyId());
  }

  @Test
  void snapshotThatCannotBeWritten_announcesNothingNew() throws Exception {
    KmsPluginFixture plugin = newPluginWithKeystore();
    String before = plugin.keyId();
    Files.delete(file());
    Files.createDirectory(file()); // a rename onto a folder with something in it fails
    Files.createFile(file().resolve("x"));
    Keystore flipped = keyring.announceAndFlip(2);
    plugin.receiveKeystore(flipped);
    assertEquals(
        1,
        plugin.events.stream()
            .filter(it -> it.message().startsWith("cannot update the announced key"))
            .count());
    assertEquals(before, plugin.keyId());
    assertEquals(before, plugin.encrypt("x").getKeyId());
  }

  @Test
  void manyFlips_keepEveryValueReadableAndEveryKeyIdNew() {
    KmsPluginFixture plugin = newPluginWithKeystore();
    List<EncryptResponse> written = new ArrayList<>(List.of(plugin.encrypt("v1")));
    Set<String> keyIds = new HashSet<>(List.of(plugin.keyId()));
    for (int version = 2; version <= 6; version++) {
      remote.give(version);
      plugin.leaveFleet().receiveKeystore(keyring.announceAndFlip(version));
      written.add(plugin.encrypt("v" + version));
      assertTrue(keyIds.add(plugin.keyId()), "a key_id was used twice");
      keyring.complete();
    }
    KmsPluginFixture restarted = newPlugin().leaveFleet();
    for (int i = 0; i < written.size(); i++) {
      assertEquals("v" + (i + 1), restarted.decrypt(written.get(i)));
    }
  }
}
