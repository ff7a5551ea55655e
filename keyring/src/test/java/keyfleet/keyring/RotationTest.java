package keyfleet.keyring;

import static keyfleet.keyring.KeyringFixtures.FIRST;
import static keyfleet.keyring.KeyringFixtures.SECOND;
import static keyfleet.keyring.KeyringFixtures.after;
import static keyfleet.keyring.KeyringFixtures.keystore;
import static keyfleet.keyring.KeyringFixtures.requireAccepted;
import static keyfleet.keyring.KeyringFixtures.startRequest;
import static keyfleet.keyring.KeyringFixtures.startRequestExpecting;
import static keyfleet.keyring.KeyringFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.keyring.KeystoreDecision.Accepted;
import keyfleet.keyring.KeystoreDecision.Ignored;
import keyfleet.keyring.KeystoreDecision.Refused;
import keyfleet.keyring.ReadinessGate.AnyProcesses;
import keyfleet.keyring.ReadinessGate.AtLeast;
import keyfleet.keyring.ReadinessGate.ExpectedProcesses;
import keyfleet.keyring.Rotation.Aborted;
import keyfleet.keyring.Rotation.Blocked;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.Rotation.Idle;
import keyfleet.keyring.Rotation.Proving;
import keyfleet.keyring.Rotation.Rewrapping;
import keyfleet.keyring.Rotation.Settling;
import keyfleet.keyring.RotationEvent.AbortRequested;
import keyfleet.keyring.RotationEvent.Adopted;
import keyfleet.keyring.RotationEvent.Fenced;
import keyfleet.keyring.RotationEvent.FencesOpened;
import keyfleet.keyring.RotationEvent.GatePassed;
import keyfleet.keyring.RotationEvent.PauseRequested;
import keyfleet.keyring.RotationEvent.Proved;
import keyfleet.keyring.RotationEvent.RecordsBlocked;
import keyfleet.keyring.RotationEvent.ResumeRequested;
import keyfleet.keyring.RotationEvent.RewrapEnded;
import keyfleet.keyring.RotationEvent.RotationEpoch;
import keyfleet.keyring.RotationEvent.Settled;
import keyfleet.keyring.RotationEvent.StartRequested;
import keyfleet.keyring.RotationEvent.SweepEnded;
import keyfleet.keyring.RotationEvent.Unstaged;
import keyfleet.keyring.RotationJob.Kind;
import org.junit.jupiter.api.Test;

/// The paths of a rotation. [RotationWalkTest] checks that no others exist.
class RotationTest {
  private static final RotationEpoch BEFORE = new RotationEpoch(FIRST, 1);
  private static final RotationEpoch AFTER = new RotationEpoch(FIRST, 2);

  private static Keystore rewrapping() {
    return after(
        keystore(), List.of(startRequest(1, 2), new GatePassed(BEFORE), new FencesOpened(BEFORE)));
  }

  private static Keystore flipped() {
    return requireAccepted(rewrapping().decide(new RewrapEnded(BEFORE)));
  }

  private static Keystore fenced() {
    return after(flipped(), List.of(new Settled(AFTER), new Fenced(AFTER)));
  }

  private static Keystore completed() {
    return after(fenced(), List.of(new SweepEnded(AFTER), new Proved(AFTER)));
  }

  @Test
  void wholeRotation_endsWithTheNewVersionAloneWritable() {
    Keystore end = completed();
    assertInstanceOf(Completed.class, end.rotation());
    assertEquals(v(2), end.active());
    assertEquals(2, end.epoch());
    assertEquals(new TreeSet<>(Set.of(v(2))), end.writable());
    assertEquals(VersionState.DECRYPT_ONLY, end.stateOf(v(1)).orElseThrow());
  }

  @Test
  void start_stagesBeforeTheRosterIsListed() {
    Keystore staged = requireAccepted(keystore().decide(startRequest(1, 2)));
    assertEquals(VersionState.STAGED, staged.stateOf(v(2)).orElseThrow());
    assertEquals(v(1), staged.active());
  }

  @Test
  void gateNotPassed_unstages() {
    Keystore back = after(keystore(), List.of(startRequest(1, 2), new Unstaged(BEFORE)));
    assertInstanceOf(Idle.class, back.rotation());
    assertEquals(VersionState.ANNOUNCED, back.stateOf(v(2)).orElseThrow());
  }

  /// A worker that adopts the rotation gates it as requested.
  @Test
  void expectedProcesses_areKeptToTheEnd() {
    ExpectedProcesses withTwo = new AtLeast(2);
    Keystore now = requireAccepted(keystore().decide(startRequestExpecting(withTwo)));
    now = requireAccepted(now.decide(new Adopted(SECOND, "worker-2")));
    RotationEpoch before = new RotationEpoch(SECOND, 1);
    now =
        after(now, List.of(new GatePassed(before), new FencesOpened(before), new AbortRequested()));
    assertEquals(withTwo, Rotation.unfinishedJob(now.rotation()).orElseThrow().expectedProcesses());
  }

  @Test
  void secondRequest_mayNotExpectMoreThanTheFirst() {
    Keystore withoutExpectation = requireAccepted(keystore().decide(startRequest(1, 2)));
    Keystore withTwo = requireAccepted(keystore().decide(startRequestExpecting(new AtLeast(2))));
    assertInstanceOf(Ignored.class, withTwo.decide(startRequest(1, 2)));
    assertInstanceOf(Ignored.class, withTwo.decide(startRequestExpecting(new AtLeast(2))));
    assertEquals(
        new Refused("rotation r-2 to v2 is under way and expects at least 2 processes"),
        withTwo.decide(startRequestExpecting(new AtLeast(3))));
    assertEquals(
        new Refused("rotation r-1 to v2 is under way and expects no particular processes"),
        withoutExpectation.decide(startRequestExpecting(new AtLeast(3))));
  }

  /// The fence of the previous rotation accepts only the version that is now active.
  @Test
  void secondRotation_opensTheFenceBeforeItRewraps() {
    StartRequested again = new StartRequested(SECOND, v(2), v(3), "worker-1");
    RotationEpoch second = new RotationEpoch(SECOND, 2);
    Keystore opening = after(completed(), List.of(again, new GatePassed(second)));
    assertEquals(new TreeSet<>(Set.of(v(2), v(3))), opening.writable());
    assertInstanceOf(
        Rewrapping.class, requireAccepted(opening.decide(new FencesOpened(second))).rotation());
  }

  @Test
  void abortWhileRewrapping_isAReverseRotationInANewEpoch() {
    Keystore turned = requireAccepted(rewrapping().decide(new AbortRequested()));
    assertInstanceOf(Settling.class, turned.rotation());
    assertEquals(v(1), turned.active());
    assertEquals(2, turned.epoch());
    assertEquals(VersionState.DECRYPT_ONLY, turned.stateOf(v(2)).orElseThrow());
    Keystore end =
        after(
            turned,
            List.of(
                new Settled(AFTER), new Fenced(AFTER), new SweepEnded(AFTER), new Proved(AFTER)));
    assertInstanceOf(Aborted.class, end.rotation());
    assertEquals(VersionState.ANNOUNCED, end.stateOf(v(2)).orElseThrow());
    assertEquals(new TreeSet<>(Set.of(v(1))), end.writable());
  }

  @Test
  void abortAfterTheFlip_flipsBackInAThirdEpoch() {
    Keystore turned = requireAccepted(flipped().decide(new AbortRequested()));
    assertEquals(v(1), turned.active());
    assertEquals(3, turned.epoch());
  }

  @Test
  void abortBehindTheFence_isRefused() {
    assertInstanceOf(Refused.class, fenced().decide(new AbortRequested()));
  }

  @Test
  void abortOfAnAbort_changesNothing() {
    Keystore turned = requireAccepted(rewrapping().decide(new AbortRequested()));
    assertEquals(new Ignored(), turned.decide(new AbortRequested()));
  }

  @Test
  void abortWhilePaused_counts() {
    Keystore paused = requireAccepted(rewrapping().decide(new PauseRequested()));
    assertInstanceOf(
        Settling.class, requireAccepted(paused.decide(new AbortRequested())).rotation());
  }

  @Test
  void driverOfAnOlderEpoch_isIgnored() {
    assertEquals(new Ignored(), flipped().decide(new RewrapEnded(BEFORE)));
    assertEquals(new Ignored(), flipped().decide(new Settled(BEFORE)));
  }

  @Test
  void driverOfAnotherRotation_isIgnored() {
    assertEquals(new Ignored(), rewrapping().decide(new RewrapEnded(new RotationEpoch(SECOND, 1))));
  }

  @Test
  void pausedRotation_waitsWhereItWas() {
    Keystore paused = requireAccepted(rewrapping().decide(new PauseRequested()));
    assertEquals(new Ignored(), paused.decide(new RewrapEnded(BEFORE)));
    assertEquals(
        rewrapping().rotation(), requireAccepted(paused.decide(new ResumeRequested())).rotation());
  }

  @Test
  void adoption_changesTheDriverAlone() {
    Keystore adopted = requireAccepted(rewrapping().decide(new Adopted(FIRST, "worker-2")));
    Rewrapping now = assertInstanceOf(Rewrapping.class, adopted.rotation());
    assertEquals("worker-2", now.job().driver());
    assertEquals(new Ignored(), adopted.decide(new Adopted(FIRST, "worker-2")));
    assertEquals(new Ignored(), adopted.decide(new Adopted(SECOND, "worker-3")));
  }

  @Test
  void badRequests_areRefusedWithTheReason() {
    assertEquals(
        new Refused("the active version is v1, not v2"), keystore().decide(startRequest(2, 3)));
    assertEquals(new Refused("v9 is not announced"), keystore().decide(startRequest(1, 9)));
    assertEquals(
        new Refused("v1 is active; only an announced version can be rotated to"),
        keystore().decide(startRequest(1, 1)));
    assertEquals(
        new Refused("rotation r-1 to v2 is under way"), rewrapping().decide(startRequest(1, 3)));
    assertEquals(new Refused("no rotation is under way"), keystore().decide(new AbortRequested()));
  }

  @Test
  void sameRequestTwice_isOneRotation() {
    assertEquals(new Ignored(), rewrapping().decide(startRequest(1, 2)));
  }

  @Test
  void blockedRotation_isTakenOverByANewOne() {
    Keystore blocked = requireAccepted(fenced().decide(new RecordsBlocked(AFTER, 3)));
    assertEquals(3, assertInstanceOf(Blocked.class, blocked.rotation()).failedRecords());
    Keystore over =
        requireAccepted(blocked.decide(new StartRequested(SECOND, v(2), v(3), "worker-1")));
    assertEquals(VersionState.STAGED, over.stateOf(v(3)).orElseThrow());
  }

  private static Keystore revoking() {
    return after(
        keystore(),
        List.of(
            startRequest(Kind.REVOCATION, 1, 2), new GatePassed(BEFORE), new FencesOpened(BEFORE)));
  }

  @Test
  void dryRun_neverPassesTheGate() {
    Keystore staged = requireAccepted(keystore().decide(startRequest(Kind.DRY_RUN, 1, 2)));
    assertEquals(new Ignored(), staged.decide(new GatePassed(BEFORE)));
    assertEquals(keystore(), requireAccepted(staged.decide(new Unstaged(BEFORE))));
  }

  @Test
  void dryRunWithADriver_isNotAdopted() {
    Keystore staged = requireAccepted(keystore().decide(startRequest(Kind.DRY_RUN, 1, 2)));
    assertEquals(new Ignored(), staged.decide(new Adopted(FIRST, "worker-2")));
    StartRequested open =
        new StartRequested(
            FIRST, Kind.DRY_RUN, v(1), v(2), new AnyProcesses(), RotationJob.NO_DRIVER);
    Keystore taken = after(keystore(), List.of(open, new Adopted(FIRST, "worker-2")));
    assertEquals(new Ignored(), taken.decide(new Adopted(FIRST, "worker-3")));
  }

  @Test
  void dryRunOverABlockedRotation_isRefused() {
    Keystore blocked = requireAccepted(fenced().decide(new RecordsBlocked(AFTER, 3)));
    assertEquals(
        new Refused("rotation r-1 is blocked, and a dry run would drop it"),
        blocked.decide(startRequest(SECOND, Kind.DRY_RUN, 2, 3)));
  }

  @Test
  void revocation_endsWithTheOldVersionDisabledForGood() {
    Keystore end =
        after(
            revoking(),
            List.of(
                new RewrapEnded(BEFORE),
                new Settled(AFTER),
                new Fenced(AFTER),
                new SweepEnded(AFTER),
                new Proved(AFTER)));
    assertInstanceOf(Completed.class, end.rotation());
    assertEquals(VersionState.DISABLED, end.stateOf(v(1)).orElseThrow());
    assertEquals(
        new Refused("v1 was revoked: its key is compromised"),
        VersionRemoval.undoDisable(end, v(1)));
  }

  @Test
  void revocationPastTheGate_hasNoWayBack() {
    assertEquals(
        new Refused("v1 is compromised: the rotation cannot go back to it"),
        revoking().decide(new AbortRequested()));
  }

  @Test
  void compromisedVersion_isRevokedAndNotRotated() {
    Keystore back =
        after(keystore(), List.of(startRequest(Kind.REVOCATION, 1, 2), new Unstaged(BEFORE)));
    Refused refused = assertInstanceOf(Refused.class, back.decide(startRequest(1, 2)));
    assertEquals(
        List.of("v1 is compromised: a rotation would keep the data keys it wrapped; revoke it"),
        refused.reasons());
    assertInstanceOf(Accepted.class, back.decide(startRequest(Kind.REVOCATION, 1, 2)));
  }

  @Test
  void revocation_takesOverABlockedRotationAndNoRunningOne() {
    Keystore blocked = requireAccepted(fenced().decide(new RecordsBlocked(AFTER, 3)));
    StartRequested request = startRequest(SECOND, Kind.REVOCATION, 2, 3);
    assertEquals(
        VersionState.STAGED, requireAccepted(blocked.decide(request)).stateOf(v(3)).orElseThrow());
    assertEquals(
        new Refused("rotation r-1 to v2 is under way"),
        rewrapping().decide(startRequest(Kind.REVOCATION, 1, 2)));
  }

  @Test
  void announcing_takesOnlyNewAndHigherNumbers() {
    assertInstanceOf(Refused.class, keystore().announce(v(2), KeyringFixtures.versionEntry(2)));
    assertInstanceOf(Refused.class, keystore().announce(v(1), KeyringFixtures.versionEntry(1)));
  }

  private static Keystore proving() {
    return requireAccepted(fenced().decide(new SweepEnded(AFTER)));
  }

  @Test
  void rotationThatWaitsForItsProof_doesNotBlockTheNext() {
    RotationEpoch second = new RotationEpoch(SECOND, 2);
    RotationEpoch third = new RotationEpoch(SECOND, 3);
    Keystore flipped =
        after(
            proving(),
            List.of(
                startRequest(SECOND, Kind.ROTATION, 2, 3),
                new GatePassed(second),
                new FencesOpened(second),
                new RewrapEnded(second)));
    assertEquals(new TreeSet<>(Set.of(v(1), v(2))), flipped.decryptOnlyVersions());
    Keystore end =
        after(
            flipped,
            List.of(
                new Settled(third), new Fenced(third), new SweepEnded(third), new Proved(third)));
    assertInstanceOf(Completed.class, end.rotation());
    assertEquals(new Ignored(), proving().decide(startRequest(1, 2)), "the same request");
    assertEquals(
        new Refused("rotation r-1 is proving, and a dry run would drop it"),
        proving().decide(startRequest(SECOND, Kind.DRY_RUN, 2, 3)));
  }

  @Test
  void proofOfALaterRotation_disablesWhatARevocationBeforeItLeft() {
    RotationEpoch second = new RotationEpoch(SECOND, 2);
    RotationEpoch third = new RotationEpoch(SECOND, 3);
    Keystore end =
        after(
            revoking(),
            List.of(
                new RewrapEnded(BEFORE),
                new Settled(AFTER),
                new Fenced(AFTER),
                new SweepEnded(AFTER),
                startRequest(SECOND, Kind.ROTATION, 2, 3),
                new GatePassed(second),
                new FencesOpened(second),
                new RewrapEnded(second),
                new Settled(third),
                new Fenced(third),
                new SweepEnded(third),
                new Proved(third)));
    assertEquals(VersionState.DISABLED, end.stateOf(v(1)).orElseThrow());
    assertEquals(VersionState.DECRYPT_ONLY, end.stateOf(v(2)).orElseThrow());
  }

  private static Keystore pluginsFlipped() {
    return after(keystore(Keystore.Use.KMS), List.of(startRequest(1, 2), new GatePassed(BEFORE)));
  }

  @Test
  void kmsKeyring_flipsAtTheGateAndWaitsForItsProof() {
    assertInstanceOf(Settling.class, pluginsFlipped().rotation());
    assertEquals(v(2), pluginsFlipped().active());
    Keystore proving = requireAccepted(pluginsFlipped().decide(new Settled(AFTER)));
    assertInstanceOf(Proving.class, proving.rotation());
    assertInstanceOf(
        Completed.class, requireAccepted(proving.decide(new Proved(AFTER))).rotation());
  }

  @Test
  void kmsKeyring_isAbortedUntilItIsProved() {
    Keystore proving = requireAccepted(pluginsFlipped().decide(new Settled(AFTER)));
    Keystore back = requireAccepted(proving.decide(new AbortRequested()));
    assertEquals(v(1), back.active());
    assertEquals(new Keystore.Activation(v(1), 3), back.activations().getLast(), "a new key_id");
    RotationEpoch third = new RotationEpoch(FIRST, 3);
    Keystore end = after(back, List.of(new Settled(third), new Proved(third)));
    assertInstanceOf(Aborted.class, end.rotation());
    assertEquals(VersionState.ANNOUNCED, end.stateOf(v(2)).orElseThrow());
  }

  @Test
  void announcedVersion_isWithdrawnAndItsNumberNeverUsedAgain() {
    Keystore without = requireAccepted(keystore().withdraw(v(3)));
    assertEquals(VersionState.WITHDRAWN, without.stateOf(v(3)).orElseThrow());
    assertEquals(new Ignored(), without.withdraw(v(3)));
    assertEquals(
        new Refused("v3 already exists, in state withdrawn"),
        without.announce(v(3), KeyringFixtures.versionEntry(3)));
    assertEquals(
        new Refused("v3 is withdrawn; only an announced version can be rotated to"),
        without.decide(startRequest(1, 3)));
  }

  @Test
  void versionThatValuesMayCarry_isNotWithdrawn() {
    Keystore staged = requireAccepted(keystore().decide(startRequest(1, 2)));
    assertEquals(
        new Refused("v2 is staged; only an announced version can be withdrawn"),
        staged.withdraw(v(2)));
    assertEquals(
        new Refused("v1 is active; only an announced version can be withdrawn"),
        keystore().withdraw(v(1)));
    assertEquals(new Refused("v9 is not announced"), keystore().withdraw(v(9)));
    Keystore turned =
        after(
            flipped(),
            List.of(
                new AbortRequested(),
                new Settled(new RotationEpoch(FIRST, 3)),
                new Fenced(new RotationEpoch(FIRST, 3)),
                new SweepEnded(new RotationEpoch(FIRST, 3)),
                new Proved(new RotationEpoch(FIRST, 3))));
    assertEquals(
        new Refused("v2 was active before, so values may be sealed under it"),
        turned.withdraw(v(2)));
  }

  @Test
  void attestation_isForOldVersionsOfAKmsKeyringUntilTheyAreUsedAgain() {
    assertEquals(
        new Refused("v1 is active; only a version that was active before can be attested"),
        keystore(Keystore.Use.KMS).attest(v(1), "blue"));
    assertEquals(
        new Refused(
            "this keyring is for records, whose versions are counted; only a kms keyring is attested"),
        flipped().attest(v(1), "blue"));
    Keystore attested = requireAccepted(pluginsFlipped().attest(v(1), "blue"));
    assertTrue(attested.isAttested(v(1), "blue"));
    assertFalse(attested.isAttested(v(1), "green"));
    assertEquals(new Ignored(), attested.attest(v(1), "blue"));
    Keystore back = requireAccepted(attested.decide(new AbortRequested()));
    assertFalse(back.isAttested(v(1), "blue"), "it is used again");
  }
}
