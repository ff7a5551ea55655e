package keyfleet.rollout.release;

import static keyfleet.rollout.release.ReleaseFixtures.EXPIRY;
import static keyfleet.rollout.release.ReleaseFixtures.goodNode;
import static keyfleet.rollout.release.ReleaseFixtures.manifest;
import static keyfleet.rollout.release.ReleaseFixtures.publicKey;
import static keyfleet.rollout.release.ReleaseFixtures.sign;
import static keyfleet.rollout.release.ReleaseFixtures.signatures;
import static keyfleet.rollout.release.ReleaseFixtures.signed;
import static keyfleet.rollout.release.ReleaseFixtures.trusted;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.time.Instant;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import keyfleet.rollout.Platform;
import keyfleet.rollout.ReleaseVersion;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.release.ReleaseVerdict.Acceptable;
import keyfleet.rollout.release.ReleaseVerdict.Downgrade;
import keyfleet.rollout.release.ReleaseVerdict.Expired;
import keyfleet.rollout.release.ReleaseVerdict.NotAllowedFrom;
import keyfleet.rollout.release.ReleaseVerdict.ProtocolTooOld;
import keyfleet.rollout.release.ReleaseVerdict.Reason;
import keyfleet.rollout.release.ReleaseVerdict.TooFewSignatures;
import keyfleet.rollout.release.ReleaseVerdict.Unacceptable;
import keyfleet.rollout.release.ReleaseVerdict.WrongPlatform;
import org.junit.jupiter.api.Test;

/// What a node itself checks before it runs a release (R21).
final class ReleaseRulesTest {
  private static final Instant NOW = EXPIRY.minusSeconds(1);
  private static final TrustedReleaseKeys TWO_OF_THREE = trusted(2, "k1", "k2", "k3");
  private static final SignedManifest GOOD = signed(manifest(), "k1", "k3");
  private static final Platform LINUX = new Platform("linux/amd64");

  private static ReleaseVerdict check(SignedManifest release, NodeSoftware node, Instant now) {
    return ReleaseRules.check(release, TWO_OF_THREE, node, List.of(), now);
  }

  private static ReleaseVerdict refused(Reason... reasons) {
    return new Unacceptable(List.of(reasons));
  }

  /// Test 1 of RFC 8032, section 7.1: the empty message.
  @Test
  void signature_matchesTheRfc() {
    assertEquals(
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9"
            + "b46bd25bf5f0595bbe24655141438e7a100b",
        HexFormat.of().formatHex(sign("k1", new byte[0])));
  }

  @Test
  void validRelease_isAcceptable() {
    assertEquals(new Acceptable(), check(GOOD, goodNode(), NOW));
  }

  @Test
  void tooFewSignatures_areReportedWithTheirNumber() {
    assertEquals(refused(new TooFewSignatures(0, 2)), check(signed(manifest()), goodNode(), NOW));
    assertEquals(
        refused(new TooFewSignatures(1, 2)), check(signed(manifest(), "k2"), goodNode(), NOW));
  }

  @Test
  void oneKeyTwice_countsOnce() {
    assertEquals(
        refused(new TooFewSignatures(1, 2)),
        check(signed(manifest(), "k1", "k1"), goodNode(), NOW));
  }

  @Test
  void unknownKey_isIgnored() {
    TrustedReleaseKeys others = trusted(2, "k1", "k2");
    assertEquals(
        refused(new TooFewSignatures(1, 2)),
        ReleaseRules.check(GOOD, others, goodNode(), List.of(), NOW));
    assertEquals(
        new Acceptable(),
        ReleaseRules.check(
            signed(manifest(), "k3", "k1", "k2"), others, goodNode(), List.of(), NOW));
  }

  @Test
  void signatureUnderAnotherKeyId_isNotValid() {
    byte[] byK1 = sign("k1", manifest().signedBytes());
    List<ReleaseSignature> renamed =
        List.of(
            ReleaseSignature.of(new ReleaseKeyId("k1"), byK1),
            ReleaseSignature.of(new ReleaseKeyId("k2"), byK1));
    assertEquals(
        refused(new TooFewSignatures(1, 2)),
        check(new SignedManifest(manifest(), renamed), goodNode(), NOW));
  }

  @Test
  void invalidSignatureBesideAValidOne_isIgnored() {
    ReleaseSignature broken = new ReleaseSignature(new ReleaseKeyId("k1"), "ff".repeat(64));
    List<ReleaseSignature> mixed =
        List.of(broken, GOOD.signatures().getFirst(), GOOD.signatures().getLast());
    assertEquals(new Acceptable(), check(new SignedManifest(manifest(), mixed), goodNode(), NOW));
  }

  @Test
  void everyFlippedBit_isFound() {
    byte[] message = manifest().signedBytes();
    List<ReleaseSignature> signatures = signatures(message, "k1");
    for (int bit = 0; bit < message.length * 8; bit += 7) {
      byte[] edited = message.clone();
      edited[bit / 8] ^= (byte) (1 << bit % 8);
      assertEquals(0, TWO_OF_THREE.signers(edited, signatures).size(), "bit " + bit);
    }
  }

  @Test
  void platform_mustMatchTheNode() {
    Platform arm = new Platform("linux/arm64");
    assertEquals(
        refused(new WrongPlatform(LINUX, arm)),
        check(GOOD, new NodeSoftware(arm, new ReleaseVersion("1.3"), 3, 42), NOW));
  }

  @Test
  void protocolBelowMin_isRefused() {
    assertEquals(
        refused(new ProtocolTooOld(2, 3)),
        check(GOOD, new NodeSoftware(LINUX, new ReleaseVersion("1.3"), 2, 42), NOW));
  }

  @Test
  void versionNotAllowedFrom_isRefused() {
    assertEquals(
        refused(new NotAllowedFrom(ReleaseVersion.NONE)),
        check(GOOD, new NodeSoftware(LINUX, ReleaseVersion.NONE, 3, 0), NOW));
    assertEquals(
        new Acceptable(),
        check(GOOD, new NodeSoftware(LINUX, new ReleaseVersion("0.9.7"), 3, 0), NOW));
  }

  @Test
  void expiry_blocksUpdatesFromThatSecond() {
    assertEquals(refused(new Expired(EXPIRY)), check(GOOD, goodNode(), EXPIRY));
    assertEquals(new Acceptable(), check(GOOD, goodNode(), EXPIRY.minusNanos(1)));
  }

  @Test
  void counterBelowFloor_needsAPermitForThisManifestAndFloor() {
    NodeSoftware ahead = new NodeSoftware(LINUX, new ReleaseVersion("1.5"), 3, 43);
    Sha256 digest = manifest().digest();
    ReleaseVerdict downgrade = refused(new Downgrade(42, 43));
    assertEquals(downgrade, check(GOOD, ahead, NOW));
    assertEquals(new Acceptable(), withPermit(ahead, permit(digest, 43, "k1", "k2")));
    assertEquals(new Acceptable(), withPermit(ahead, permit(digest, 50, "k1", "k2")));
    assertEquals(downgrade, withPermit(ahead, permit(digest, 42, "k1", "k2")));
    assertEquals(downgrade, withPermit(ahead, permit(digest, 43, "k1", "k1")));
    assertEquals(downgrade, withPermit(ahead, permit(new Sha256("00".repeat(32)), 43, "k1", "k2")));
  }

  @Test
  void manifestSignature_isNoPermit() {
    NodeSoftware ahead = new NodeSoftware(LINUX, new ReleaseVersion("1.5"), 3, 43);
    DowngradePermit reused = new DowngradePermit(manifest().digest(), 43, GOOD.signatures());
    assertEquals(refused(new Downgrade(42, 43)), withPermit(ahead, reused));
  }

  private static DowngradePermit permit(Sha256 manifest, long floor, String... keys) {
    byte[] message = DowngradePermit.signedBytes(manifest, floor);
    return new DowngradePermit(manifest, floor, signatures(message, keys));
  }

  private static ReleaseVerdict withPermit(NodeSoftware node, DowngradePermit permit) {
    return ReleaseRules.check(GOOD, TWO_OF_THREE, node, List.of(permit), NOW);
  }

  @Test
  void everyBrokenRule_isNamedInOrder() {
    Platform arm = new Platform("linux/arm64");
    ReleaseVersion two = new ReleaseVersion("2.0");
    ReleaseVerdict verdict =
        check(signed(manifest(), "k1"), new NodeSoftware(arm, two, 0, 99), EXPIRY);
    assertEquals(
        refused(
            new TooFewSignatures(1, 2),
            new WrongPlatform(LINUX, arm),
            new ProtocolTooOld(0, 3),
            new NotAllowedFrom(two),
            new Expired(EXPIRY),
            new Downgrade(42, 99)),
        verdict);
    assertEquals(
        List.of(
            "1 valid signatures, 2 required",
            "built for linux/amd64, not linux/arm64",
            "protocol 0 < 3",
            "not allowed from version 2.0",
            "expired at 2027-01-01T00:00:00Z",
            "release counter 42 < 99 without a downgrade permit"),
        ((Unacceptable) verdict).reasons().stream().map(Reason::description).toList());
  }

  @Test
  void unsafeKeySets_areRejected() throws NoSuchAlgorithmException {
    PublicKey k1 = publicKey("k1");
    PublicKey other = KeyPairGenerator.getInstance("Ed448").generateKeyPair().getPublic();
    ReleaseKeyId a = new ReleaseKeyId("a");
    ReleaseKeyId b = new ReleaseKeyId("b");
    assertThrows(IllegalArgumentException.class, () -> new TrustedReleaseKeys(0, Map.of(a, k1)));
    assertThrows(IllegalArgumentException.class, () -> new TrustedReleaseKeys(2, Map.of(a, k1)));
    assertThrows(
        IllegalArgumentException.class, () -> new TrustedReleaseKeys(1, Map.of(a, k1, b, k1)));
    assertThrows(IllegalArgumentException.class, () -> new TrustedReleaseKeys(1, Map.of(a, other)));
  }

  @Test
  void tooManySignatures_areRefusedUnverified() {
    List<ReleaseSignature> many = Collections.nCopies(65, GOOD.signatures().getFirst());
    assertThrows(IllegalArgumentException.class, () -> new SignedManifest(manifest(), many));
  }
}
