package keyfleet.kms.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
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
import keyfleet.kms.PluginEvent;
import keyfleet.kms.PluginException;
import keyfleet.kms.TestKeyring;
import keyfleet.kms.localkek.KeyHierarchy;
import keyfleet.kms.v2.EncryptResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a plugin announces, as keys change, and as its store and its remote come and go.
final class KeyReconcilerTest {
  private static final Duration LONG = Duration.ofMinutes(2);

  @TempDir Path folder;
  private final FakeRemoteProvider remote = new FakeRemoteProvider(1, 2);
  private final TestKeyring ring = new TestKeyring(remote);

  private Path file() {
    return folder.resolve("s.json");
  }

  private KmsPluginFixture fresh() {
    return new KmsPluginFixture(file(), remote);
  }

  private KmsPluginFixture running() {
    return fresh().says(ring.keystore());
  }

  private static Status.Code status(KmsPluginFixture stand) {
    return stand.statusCall().refusal().getCode();
  }

  @Test
  void statusAndEncrypt_sayTheSameKeyId() {
    KmsPluginFixture stand = running();
    assertEquals(stand.keyId(), stand.encrypt("x").getKeyId());
    assertEquals("ok", stand.statusCall().answer().getHealthz());
    assertEquals("v2", stand.statusCall().answer().getVersion());
  }

  @Test
  void announcedAndStagedVersion_changesNothingInStatus() {
    KmsPluginFixture stand = running();
    String before = stand.keyId();
    stand.says(ring.announce(2));
    assertEquals(before, stand.keyId());
    stand.says(ring.stage(2));
    assertEquals(before, stand.keyId());
  }

  @Test
  void flip_changesStatusAndEncryptAtOnce_andOldValuesStayReadable() {
    KmsPluginFixture stand = running();
    EncryptResponse old = stand.encrypt("old");
    ring.announce(2);
    ring.stage(2);
    stand.says(ring.flip());
    EncryptResponse now = stand.encrypt("new");
    assertNotEquals(old.getKeyId(), now.getKeyId());
    assertEquals(stand.keyId(), now.getKeyId());
    assertEquals("old", stand.decrypt(old));
    assertEquals("new", stand.decrypt(now));
  }

  @Test
  void keyThatReturns_neverHasAKeyIdOfBefore() {
    KmsPluginFixture stand = running();
    Set<String> seen = new HashSet<>(List.of(stand.keyId()));
    ring.announce(2);
    ring.stage(2);
    stand.says(ring.flip());
    assertTrue(seen.add(stand.keyId()), "the flip kept the key_id");
    stand.says(ring.abort());
    assertEquals(1, ring.keystore().active().number());
    assertTrue(seen.add(stand.keyId()), "version 1 came back under a key_id of before");
  }

  @Test
  void newKeyThatCannotBeUsedYet_leavesTheOldOneAnnounced() {
    KmsPluginFixture stand = running();
    String before = stand.keyId();
    ring.announce(2);
    ring.stage(2);
    remote.take(2);
    stand.alone();
    stand.says(ring.flip());
    assertEquals(before, stand.keyId());
    assertEquals(before, stand.encrypt("x").getKeyId());
    remote.give(2);
    stand.alone().after(LONG);
    assertNotEquals(before, stand.keyId());
  }

  @Test
  void storeDownAfterStart_encryptAndDecryptGoOn() {
    KmsPluginFixture stand = running();
    EncryptResponse before = stand.encrypt("before");
    stand.alone().after(LONG);
    assertEquals("before", stand.decrypt(before));
    assertEquals(before.getKeyId(), stand.encrypt("after").getKeyId());
  }

  @Test
  void storeDownBeforeStart_servesFromTheSnapshot() {
    EncryptResponse before = running().encrypt("before");
    KmsPluginFixture restarted = fresh().alone();
    assertEquals(before.getKeyId(), restarted.keyId());
    assertEquals("before", restarted.decrypt(before));
    assertEquals(before.getKeyId(), restarted.encrypt("after").getKeyId());
  }

  @Test
  void neitherSnapshotNorStore_isUnavailableUntilTheStoreAnswers() {
    KmsPluginFixture stand = fresh().alone();
    assertEquals(Status.Code.UNAVAILABLE, status(stand));
    assertEquals(Status.Code.UNAVAILABLE, stand.encryptRefusal().getCode());
    stand.says(ring.keystore());
    assertEquals(stand.keyId(), stand.encrypt("x").getKeyId());
  }

  @Test
  void remoteDownAtStart_isUnavailableUntilItReturns() {
    String keyId = running().keyId();
    remote.down();
    KmsPluginFixture restarted = fresh().alone();
    assertEquals(Status.Code.UNAVAILABLE, status(restarted));
    assertEquals(Status.Code.UNAVAILABLE, restarted.encryptRefusal().getCode());
    remote.up();
    restarted.after(LONG);
    assertEquals(keyId, restarted.keyId());
  }

  @Test
  void remoteDownAfterStart_servesWhatIsCachedAndGoesOnWriting() {
    EncryptResponse other = running().encrypt("of another plugin");
    KmsPluginFixture stand = running();
    EncryptResponse own = stand.encrypt("own");
    assertEquals("of another plugin", stand.decrypt(other));
    EncryptResponse cold = running().encrypt("cold");
    remote.down();
    stand.after(LONG);
    assertEquals(own.getKeyId(), stand.encrypt("more").getKeyId());
    assertEquals("own", stand.decrypt(own));
    assertEquals("of another plugin", stand.decrypt(other));
    assertEquals(
        Status.Code.UNAVAILABLE, stand.decryptRefusal(KmsPluginFixture.stored(cold)).getCode());
    remote.up();
    assertEquals("cold", stand.decrypt(cold));
  }

  @Test
  void hierarchyOff_remoteDown_statusRefusesAfterAProbe() {
    KmsPluginFixture stand =
        new KmsPluginFixture(file(), remote, KeyHierarchy.OFF, KmsPluginFixture.LIMITS)
            .says(ring.keystore());
    assertEquals(stand.keyId(), stand.encrypt("x").getKeyId());
    remote.down();
    assertEquals(Status.Code.UNAVAILABLE, stand.encryptRefusal().getCode());
    stand.after(KmsPluginFixture.PROBE);
    assertEquals(Status.Code.UNAVAILABLE, status(stand));
    stand.after(LONG);
    assertEquals(Status.Code.UNAVAILABLE, status(stand));
    remote.up();
    stand.after(LONG);
    assertEquals(stand.keyId(), stand.encrypt("x").getKeyId());
  }

  @Test
  void versionThatSomebodyMadeInTheRemote_isACandidateOnly() {
    KmsPluginFixture stand = running();
    String before = stand.keyId();
    remote.give(3);
    stand.alone();
    assertEquals(before, stand.keyId());
    assertEquals(2, stand.keeper.candidates());
    assertTrue(
        stand.events.contains(new PluginEvent.CandidateVersion("v3")),
        () -> "silent: " + stand.events);
    stand.says(ring.announce(2));
    stand.says(ring.announce(3));
    assertEquals(0, stand.keeper.candidates());
    assertEquals(before, stand.keyId());
  }

  @Test
  void lowerEpoch_isNeverAnnounced() {
    Keystore old = ring.keystore();
    KmsPluginFixture stand = running();
    ring.announce(2);
    ring.stage(2);
    stand.says(ring.flip());
    String keyId = stand.keyId();
    stand.says(old);
    assertEquals(keyId, stand.keyId());
    KmsPluginFixture restarted = fresh().says(old);
    assertEquals(keyId, restarted.keyId());
    assertTrue(
        restarted.events.stream().anyMatch(PluginEvent.KeystoreIgnored.class::isInstance),
        () -> "nothing was said: " + restarted.events);
  }

  @Test
  void anotherHistory_stopsWriting_andReadsOn() {
    remote.give(3);
    TestKeyring restored = new TestKeyring(remote);
    KmsPluginFixture stand = fresh().says(restored.keystore());
    restored.announce(2);
    restored.stage(2);
    stand.says(restored.flip());
    EncryptResponse written = stand.encrypt("written");
    TestKeyring other = new TestKeyring(remote);
    other.announce(3);
    other.stage(3);
    stand.says(other.flip());
    assertEquals(Status.Code.FAILED_PRECONDITION, status(stand));
    assertEquals(Status.Code.FAILED_PRECONDITION, stand.encryptRefusal().getCode());
    assertEquals("written", stand.decrypt(written));
    stand.says(restored.keystore()).after(LONG);
    assertEquals(written.getKeyId(), stand.keyId());
  }

  @Test
  void keyringForRecords_isRefusedInWords() {
    KmsPluginFixture stand = fresh().says(new TestKeyring(remote, Keystore.Use.RECORDS).keystore());
    Status refusal = stand.statusCall().refusal();
    assertEquals(Status.Code.FAILED_PRECONDITION, refusal.getCode());
    assertTrue(String.valueOf(refusal.getDescription()).contains("--use kms"), refusal::toString);
  }

  @Test
  void keyThatIsGone_stopsWriting() {
    KmsPluginFixture stand = running();
    remote.take(1);
    stand.alone();
    assertEquals(Status.Code.UNAVAILABLE, status(stand));
    assertEquals(Status.Code.UNAVAILABLE, stand.encryptRefusal().getCode());
    remote.give(1);
    stand.alone().after(LONG);
    assertEquals(stand.keyId(), stand.encrypt("x").getKeyId());
  }

  @Test
  void crashBetweenSnapshotAndAnnouncement_announcesTheNewKeyAfterRestart() {
    KmsPluginFixture stand = running();
    String before = stand.keyId();
    ring.announce(2);
    ring.stage(2);
    Keystore flipped = ring.flip();
    // What a plugin has written when it dies before it tells anybody.
    new PluginSnapshotFile(file())
        .write(new PluginSnapshot(flipped, flipped.activations().getLast()));
    KmsPluginFixture restarted = fresh().alone();
    assertNotEquals(before, restarted.keyId());
    assertEquals(restarted.keyId(), restarted.encrypt("x").getKeyId());
  }

  @Test
  void snapshotThatCannotBeWritten_announcesNothingNew() throws Exception {
    KmsPluginFixture stand = running();
    String before = stand.keyId();
    Files.delete(file());
    Files.createDirectory(file()); // a rename onto a folder with something in it fails
    Files.createFile(file().resolve("x"));
    ring.announce(2);
    ring.stage(2);
    Keystore flipped = ring.flip();
    assertThrows(PluginException.class, () -> stand.says(flipped));
    assertEquals(before, stand.keyId());
    assertEquals(before, stand.encrypt("x").getKeyId());
  }

  @Test
  void manyFlips_keepEveryValueReadableAndEveryKeyIdNew() {
    KmsPluginFixture stand = running();
    List<EncryptResponse> written = new ArrayList<>(List.of(stand.encrypt("v1")));
    Set<String> keyIds = new HashSet<>(List.of(stand.keyId()));
    for (int version = 2; version <= 6; version++) {
      remote.give(version);
      ring.announce(version);
      ring.stage(version);
      stand.alone().says(ring.flip());
      written.add(stand.encrypt("v" + version));
      assertTrue(keyIds.add(stand.keyId()), "a key_id was used twice");
      ring.complete();
    }
    KmsPluginFixture restarted = fresh().alone();
    for (int i = 0; i < written.size(); i++) {
      assertEquals("v" + (i + 1), restarted.decrypt(written.get(i)));
    }
  }
}
