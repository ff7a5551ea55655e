package keyfleet.keyring;

import static keyfleet.keyring.KeyringFixtures.FIRST;
import static keyfleet.keyring.KeyringFixtures.after;
import static keyfleet.keyring.KeyringFixtures.keystore;
import static keyfleet.keyring.KeyringFixtures.requireAccepted;
import static keyfleet.keyring.KeyringFixtures.startRequest;
import static keyfleet.keyring.KeyringFixtures.v;
import static keyfleet.keyring.KeyringFixtures.versionEntry;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.KeystoreDecision.Refused;
import keyfleet.keyring.RotationEvent.FencesOpened;
import keyfleet.keyring.RotationEvent.GatePassed;
import keyfleet.keyring.RotationEvent.RotationEpoch;
import keyfleet.keyring.SafeHold.FenceMark;
import org.junit.jupiter.api.Test;

/// The ways out of a safe hold. The keystore here has v1 active in epoch 1, and v2 and v3
/// announced.
class HoldResolutionTest {
  private static FenceMark fence(long incarnation, long epoch, Integer... writable) {
    return new FenceMark(
        incarnation,
        epoch,
        Arrays.stream(writable)
            .map(KekVersion::new)
            .collect(Collectors.toCollection(TreeSet::new)));
  }

  private static Optional<SafeHold> check(Keystore keystore, FenceMark fence) {
    return SafeHold.check(keystore, Map.of("orders", fence));
  }

  @Test
  void hold_namesTheCollectionAndWhatItRemembers() {
    assertEquals(Optional.empty(), check(keystore(), fence(1, 1, 1)));
    assertEquals(
        "orders was fenced in epoch 3, but the keystore is in epoch 1",
        check(keystore(), fence(1, 3, 2)).orElseThrow().reason());
    assertEquals(
        "orders was fenced by another keystore",
        check(keystore(), fence(7, 1, 1)).orElseThrow().reason());
  }

  @Test
  void adoptedFences_makeTheirNewestVersionActiveAboveBothEpochs() {
    List<FenceMark> fences = List.of(fence(1, 1, 1), fence(1, 4, 2));
    Keystore resolved = requireAccepted(HoldResolution.adoptFences(keystore(), fences, Map.of()));
    assertEquals(v(2), resolved.active());
    assertEquals(5, resolved.epoch());
    assertEquals(new TreeSet<>(List.of(v(2))), resolved.writable());
    assertEquals(VersionState.DECRYPT_ONLY, resolved.stateOf(v(1)).orElseThrow());
    assertEquals(VersionState.ANNOUNCED, resolved.stateOf(v(3)).orElseThrow());
    assertEquals(new Keystore.Activation(v(2), 5), resolved.activations().getLast());
    fences.forEach(it -> assertEquals(Optional.empty(), check(resolved, it)));
  }

  @Test
  void adoptedFenceOfAnotherKeystore_bringsItsIncarnation() {
    FenceMark foreign = fence(77, 2, 1);
    Keystore resolved =
        requireAccepted(HoldResolution.adoptFences(keystore(), List.of(foreign), Map.of()));
    assertEquals(77, resolved.identity().incarnation());
    assertEquals(v(1), resolved.active());
    assertEquals(keystore().activations(), resolved.activations());
    assertEquals(Optional.empty(), check(resolved, foreign));
  }

  @Test
  void fencesOfTwoKeystores_areNotAdopted() {
    assertEquals(
        new Refused("the collections were fenced by different keystores, so none is right"),
        HoldResolution.adoptFences(keystore(), List.of(fence(7, 2, 1), fence(8, 2, 1)), Map.of()));
  }

  @Test
  void versionThatTheKeystoreLost_isAdoptedOnlyByAProcessThatHoldsItsKey() {
    Keystore onlyOne = Keystore.bootstrap(keystore().identity(), versionEntry(1), Timings.DEFAULT);
    List<FenceMark> fences = List.of(fence(1, 4, 1, 2));
    assertEquals(
        new Refused("the fences accept v2, which the keystore cannot use"),
        HoldResolution.adoptFences(onlyOne, fences, Map.of()));
    Keystore resolved =
        requireAccepted(HoldResolution.adoptFences(onlyOne, fences, Map.of(v(2), versionEntry(2))));
    assertEquals(v(2), resolved.active());
    assertEquals(VersionState.DECRYPT_ONLY, resolved.stateOf(v(1)).orElseThrow());
  }

  @Test
  void withdrawnVersion_isNotAdopted() {
    Keystore withdrawn = requireAccepted(keystore().withdraw(v(2)));
    assertInstanceOf(
        Refused.class, HoldResolution.adoptFences(withdrawn, List.of(fence(1, 4, 2)), Map.of()));
  }

  @Test
  void acceptedKeystore_keepsItsVersionAboveBothEpochs() {
    Keystore rewrapping =
        after(
            keystore(),
            List.of(
                startRequest(1, 2),
                new GatePassed(new RotationEpoch(FIRST, 1)),
                new FencesOpened(new RotationEpoch(FIRST, 1))));
    Keystore resolved =
        requireAccepted(
            HoldResolution.acceptKeystore(rewrapping, List.of(fence(1, 4, 2), fence(77, 9, 3))));
    assertEquals(v(1), resolved.active());
    assertEquals(10, resolved.epoch());
    assertEquals(1, resolved.identity().incarnation());
    assertEquals(new TreeSet<>(List.of(v(1))), resolved.writable());
    assertInstanceOf(Rotation.Idle.class, resolved.rotation());
    assertEquals(
        VersionState.DECRYPT_ONLY, resolved.stateOf(v(2)).orElseThrow(), "records may carry it");
  }

  /// A backup from before the rotation to v2 only knows that v2 was announced. Without this, v2
  /// could be withdrawn, and a process that lacks it would be admitted.
  @Test
  void acceptedKeystore_keepsWhatItsOwnFencesAccepted() {
    List<FenceMark> own = List.of(fence(1, 4, 2));
    Keystore resolved = requireAccepted(HoldResolution.acceptKeystore(keystore(), own));
    assertEquals(VersionState.DECRYPT_ONLY, resolved.stateOf(v(2)).orElseThrow());
    assertEquals(VersionState.ANNOUNCED, resolved.stateOf(v(3)).orElseThrow());
    List<FenceMark> foreign = List.of(fence(77, 4, 2));
    Keystore other = requireAccepted(HoldResolution.acceptKeystore(keystore(), foreign));
    assertEquals(VersionState.ANNOUNCED, other.stateOf(v(2)).orElseThrow());
  }

  @Test
  void fencesThatAgree_needNoResolution() {
    Refused none = new Refused("no fence is ahead of the keystore");
    List<FenceMark> fences = List.of(fence(1, 1, 1));
    assertEquals(none, HoldResolution.adoptFences(keystore(), fences, Map.of()));
    assertEquals(none, HoldResolution.acceptKeystore(keystore(), fences));
  }
}
