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
    return fresh().receiveKeystore(ring.keystore());
  }

  private static Status.Code status(KmsPluginFixture kmsPluginFixture) {
    return kmsPluginFixture.statusCall().refusal().getCode();
  }

  @Test
  void statusAndEncrypt_sayTheSameKeyId() {
    KmsPluginFixture kmsPluginFixture = running();
    assertEquals(kmsPluginFixture.keyId(), kmsPluginFixture.encrypt("x").getKeyId());
    assertEquals("ok", kmsPluginFixture.statusCall().answer().getHealthz());
    assertEquals("v2", kmsPluginFixture.statusCall().answer().getVersion());
  }

  @Test
  void announcedAndStagedVersion_changesNothingInStatus() {
    KmsPluginFixture kmsPluginFixture = running();
    String before = kmsPluginFixture.keyId();
    kmsPluginFixture.receiveKeystore(ring.announce(2));
    assertEquals(before, kmsPluginFixture.keyId());
    kmsPluginFixture.receiveKeystore(ring.stage(2));
    assertEquals(before, kmsPluginFixture.keyId());
  }

  @Test
  void flip_changesStatusAndEncryptAtOnce_andOldValuesStayReadable() {
    KmsPluginFixture kmsPluginFixture = running();
    EncryptResponse old = kmsPluginFixture.encrypt("old");
    ring.announce(2);
    ring.stage(2);
    kmsPluginFixture.receiveKeystore(ring.flip());
    EncryptResponse now = kmsPluginFixture.encrypt("new");
    assertNotEquals(old.getKeyId(), now.getKeyId());
    assertEquals(kmsPluginFixture.keyId(), now.getKeyId());
    assertEquals("old", kmsPluginFixture.decrypt(old));
    assertEquals("new", kmsPluginFixture.decrypt(now));
  }

  @Test
  void keyThatReturns_neverHasAKeyIdOfBefore() {
    KmsPluginFixture kmsPluginFixture = running();
    Set<String> seen = new HashSet<>(List.of(kmsPluginFixture.keyId()));
    ring.announce(2);
    ring.stage(2);
    kmsPluginFixture.receiveKeystore(ring.flip());
    assertTrue(seen.add(kmsPluginFixture.keyId()), "the flip kept the key_id");
    kmsPluginFixture.receiveKeystore(ring.abort());
    assertEquals(1, ring.keystore().active().number());
    assertTrue(seen.add(kmsPluginFixture.keyId()), "version 1 came back under a key_id of before");
  }

  @Test
  void newKeyThatCannotBeUsedYet_leavesTheOldOneAnnounced() {
    KmsPluginFixture kmsPluginFixture = running();
    String before = kmsPluginFixture.keyId();
    ring.announce(2);
    ring.stage(2);
    remote.hide(2);
    kmsPluginFixture.leaveFleet();
    kmsPluginFixture.receiveKeystore(ring.flip());
    assertEquals(before, kmsPluginFixture.keyId());
    assertEquals(before, kmsPluginFixture.encrypt("x").getKeyId());
    remote.give(2);
    kmsPluginFixture.leaveFleet().advance(LONG);
    assertNotEquals(before, kmsPluginFixture.keyId());
  }

  @Test
  void storeDownAfterStart_encryptAndDecryptGoOn() {
    KmsPluginFixture kmsPluginFixture = running();
    EncryptResponse before = kmsPluginFixture.encrypt("before");
    kmsPluginFixture.leaveFleet().advance(LONG);
    assertEquals("before", kmsPluginFixture.decrypt(before));
    assertEquals(before.getKeyId(), kmsPluginFixture.encrypt("after").getKeyId());
  }

  @Test
  void storeDownBeforeStart_servesFromTheSnapshot() {
    EncryptResponse before = running().encrypt("before");
    KmsPluginFixture restarted = fresh().leaveFleet();
    assertEquals(before.getKeyId(), restarted.keyId());
    assertEquals("before", restarted.decrypt(before));
    assertEquals(before.getKeyId(), restarted.encrypt("after").getKeyId());
  }

  @Test
  void neitherSnapshotNorStore_isUnavailableUntilTheStoreAnswers() {
    KmsPluginFixture kmsPluginFixture = fresh().leaveFleet();
    assertEquals(Status.Code.UNAVAILABLE, status(kmsPluginFixture));
    assertEquals(Status.Code.UNAVAILABLE, kmsPluginFixture.encryptRefusal().getCode());
    kmsPluginFixture.receiveKeystore(ring.keystore());
    assertEquals(kmsPluginFixture.keyId(), kmsPluginFixture.encrypt("x").getKeyId());
  }

  @Test
  void remoteDownAtStart_isUnavailableUntilItReturns() {
    String keyId = running().keyId();
    remote.fail();
    KmsPluginFixture restarted = fresh().leaveFleet();
    assertEquals(Status.Code.UNAVAILABLE, status(restarted));
    assertEquals(Status.Code.UNAVAILABLE, restarted.encryptRefusal().getCode());
    remote.recover();
    restarted.advance(LONG);
    assertEquals(keyId, restarted.keyId());
  }

  @Test
  void remoteDownAfterStart_servesWhatIsCachedAndGoesOnWriting() {
    EncryptResponse other = running().encrypt("of another plugin");
    KmsPluginFixture kmsPluginFixture = running();
    EncryptResponse own = kmsPluginFixture.encrypt("own");
    assertEquals("of another plugin", kmsPluginFixture.decrypt(other));
    EncryptResponse cold = running().encrypt("cold");
    remote.fail();
    kmsPluginFixture.advance(LONG);
    assertEquals(own.getKeyId(), kmsPluginFixture.encrypt("more").getKeyId());
    assertEquals("own", kmsPluginFixture.decrypt(own));
    assertEquals("of another plugin", kmsPluginFixture.decrypt(other));
    assertEquals(
        Status.Code.UNAVAILABLE,
        kmsPluginFixture.decryptRefusal(KmsPluginFixture.decryptRequestFor(cold)).getCode());
    remote.recover();
    assertEquals("cold", kmsPluginFixture.decrypt(cold));
  }

  @Test
  void hierarchyOff_remoteDown_statusRefusesAfterAProbe() {
    KmsPluginFixture kmsPluginFixture =
        new KmsPluginFixture(file(), remote, KeyHierarchy.OFF, KmsPluginFixture.LIMITS)
            .receiveKeystore(ring.keystore());
    assertEquals(kmsPluginFixture.keyId(), kmsPluginFixture.encrypt("x").getKeyId());
    remote.fail();
    assertEquals(Status.Code.UNAVAILABLE, kmsPluginFixture.encryptRefusal().getCode());
    kmsPluginFixture.advance(KmsPluginFixture.PROBE);
    assertEquals(Status.Code.UNAVAILABLE, status(kmsPluginFixture));
    kmsPluginFixture.advance(LONG);
    assertEquals(Status.Code.UNAVAILABLE, status(kmsPluginFixture));
    remote.recover();
    kmsPluginFixture.advance(LONG);
    assertEquals(kmsPluginFixture.keyId(), kmsPluginFixture.encrypt("x").getKeyId());
  }

  @Test
  void versionThatSomebodyMadeInTheRemote_isACandidateOnly() {
    KmsPluginFixture kmsPluginFixture = running();
    String before = kmsPluginFixture.keyId();
    remote.give(3);
    kmsPluginFixture.leaveFleet();
    assertEquals(before, kmsPluginFixture.keyId());
    assertEquals(2, kmsPluginFixture.reconciler.candidateCount());
    assertTrue(
        kmsPluginFixture.events.contains(new PluginEvent.CandidateVersion("v3")),
        () -> "silent: " + kmsPluginFixture.events);
    kmsPluginFixture.receiveKeystore(ring.announce(2));
    kmsPluginFixture.receiveKeystore(ring.announce(3));
    assertEquals(0, kmsPluginFixture.reconciler.candidateCount());
    assertEquals(before, kmsPluginFixture.keyId());
  }

  @Test
  void lowerEpoch_isNeverAnnounced() {
    Keystore old = ring.keystore();
    KmsPluginFixture kmsPluginFixture = running();
    ring.announce(2);
    ring.stage(2);
    kmsPluginFixture.receiveKeystore(ring.flip());
    String keyId = kmsPluginFixture.keyId();
    kmsPluginFixture.receiveKeystore(old);
    assertEquals(keyId, kmsPluginFixture.keyId());
    KmsPluginFixture restarted = fresh().receiveKeystore(old);
    assertEquals(keyId, restarted.keyId());
    assertTrue(
        restarted.events.stream().anyMatch(PluginEvent.KeystoreIgnored.class::isInstance),
        () -> "nothing was said: " + restarted.events);
  }

  @Test
  void anotherHistory_stopsWriting_andReadsOn() {
    remote.give(3);
    TestKeyring restored = new TestKeyring(remote);
    KmsPluginFixture kmsPluginFixture = fresh().receiveKeystore(restored.keystore());
    restored.announce(2);
    restored.stage(2);
    kmsPluginFixture.receiveKeystore(restored.flip());
    EncryptResponse written = kmsPluginFixture.encrypt("written");
    TestKeyring other = new TestKeyring(remote);
    other.announce(3);
    other.stage(3);
    kmsPluginFixture.receiveKeystore(other.flip());
    assertEquals(Status.Code.FAILED_PRECONDITION, status(kmsPluginFixture));
    assertEquals(Status.Code.FAILED_PRECONDITION, kmsPluginFixture.encryptRefusal().getCode());
    assertEquals("written", kmsPluginFixture.decrypt(written));
    kmsPluginFixture.receiveKeystore(restored.keystore()).advance(LONG);
    assertEquals(written.getKeyId(), kmsPluginFixture.keyId());
  }

  @Test
  void keyringForRecords_isRefusedInWords() {
    KmsPluginFixture kmsPluginFixture =
        fresh().receiveKeystore(new TestKeyring(remote, Keystore.Use.RECORDS).keystore());
    Status refusal = kmsPluginFixture.statusCall().refusal();
    assertEquals(Status.Code.FAILED_PRECONDITION, refusal.getCode());
    assertTrue(String.valueOf(refusal.getDescription()).contains("--use kms"), refusal::toString);
  }

  @Test
  void keyThatIsGone_stopsWriting() {
    KmsPluginFixture kmsPluginFixture = running();
    remote.hide(1);
    kmsPluginFixture.leaveFleet();
    assertEquals(Status.Code.UNAVAILABLE, status(kmsPluginFixture));
    assertEquals(Status.Code.UNAVAILABLE, kmsPluginFixture.encryptRefusal().getCode());
    remote.give(1);
    kmsPluginFixture.leaveFleet().advance(LONG);
    assertEquals(kmsPluginFixture.keyId(), kmsPluginFixture.encrypt("x").getKeyId());
  }

  @Test
  void crashBetweenSnapshotAndAnnouncement_announcesTheNewKeyAfterRestart() {
    KmsPluginFixture kmsPluginFixture = running();
    String before = kmsPluginFixture.keyId();
    ring.announce(2);
    ring.stage(2);
    Keystore flipped = ring.flip();
    // What a plugin has written when it dies before it tells anybody.
    new PluginSnapshotFile(file())
        .write(new PluginSnapshot(flipped, flipped.activations().getLast()));
    KmsPluginFixture restarted = fresh().leaveFleet();
    assertNotEquals(before, restarted.keyId());
    assertEquals(restarted.keyId(), restarted.encrypt("x").getKeyId());
  }

  @Test
  void snapshotThatCannotBeWritten_announcesNothingNew() throws Exception {
    KmsPluginFixture kmsPluginFixture = running();
    String before = kmsPluginFixture.keyId();
    Files.delete(file());
    Files.createDirectory(file()); // a rename onto a folder with something in it fails
    Files.createFile(file().resolve("x"));
    ring.announce(2);
    ring.stage(2);
    Keystore flipped = ring.flip();
    assertThrows(PluginException.class, () -> kmsPluginFixture.receiveKeystore(flipped));
    assertEquals(before, kmsPluginFixture.keyId());
    assertEquals(before, kmsPluginFixture.encrypt("x").getKeyId());
  }

  @Test
  void manyFlips_keepEveryValueReadableAndEveryKeyIdNew() {
    KmsPluginFixture kmsPluginFixture = running();
    List<EncryptResponse> written = new ArrayList<>(List.of(kmsPluginFixture.encrypt("v1")));
    Set<String> keyIds = new HashSet<>(List.of(kmsPluginFixture.keyId()));
    for (int version = 2; version <= 6; version++) {
      remote.give(version);
      ring.announce(version);
      ring.stage(version);
      kmsPluginFixture.leaveFleet().receiveKeystore(ring.flip());
      written.add(kmsPluginFixture.encrypt("v" + version));
      assertTrue(keyIds.add(kmsPluginFixture.keyId()), "a key_id was used twice");
      ring.complete();
    }
    KmsPluginFixture restarted = fresh().leaveFleet();
    for (int i = 0; i < written.size(); i++) {
      assertEquals("v" + (i + 1), restarted.decrypt(written.get(i)));
    }
  }
}
