package keyfleet.keyring;

import static keyfleet.keyring.KeyringFixtures.FIRST;
import static keyfleet.keyring.KeyringFixtures.after;
import static keyfleet.keyring.KeyringFixtures.heartbeat;
import static keyfleet.keyring.KeyringFixtures.keystore;
import static keyfleet.keyring.KeyringFixtures.requireAccepted;
import static keyfleet.keyring.KeyringFixtures.roster;
import static keyfleet.keyring.KeyringFixtures.startRequest;
import static keyfleet.keyring.KeyringFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import keyfleet.keyring.KeystoreDecision.Refused;
import keyfleet.keyring.RotationEvent.RotationEpoch;
import keyfleet.keyring.VersionRemoval.Counted;
import keyfleet.keyring.VersionRemoval.Evidence;
import keyfleet.keyring.VersionRemoval.NotCounted;
import org.junit.jupiter.api.Test;

class VersionRemovalTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration HORIZON = Duration.ofDays(30);
  private static final Roster EMPTY_ROSTER = roster();

  private static Keystore rotated() {
    RotationEpoch before = new RotationEpoch(FIRST, 1);
    RotationEpoch after = new RotationEpoch(FIRST, 2);
    return after(
        keystore(),
        List.of(
            startRequest(1, 2),
            new RotationEvent.GatePassed(before),
            new RotationEvent.FencesOpened(before),
            new RotationEvent.RewrapEnded(before),
            new RotationEvent.Settled(after),
            new RotationEvent.Fenced(after),
            new RotationEvent.SweepEnded(after),
            new RotationEvent.Proved(after)));
  }

  private static Evidence clean(Duration sinceDisabled) {
    return new Evidence(
        EMPTY_ROSTER, Map.of("customers", new Counted(0, true)), HOUR, sinceDisabled);
  }

  private static String refusal(KeystoreDecision decision) {
    return String.join("; ", assertInstanceOf(Refused.class, decision).reasons());
  }

  @Test
  void versionThatNothingNeeds_isDisabledAndCanComeBack() {
    Keystore disabled =
        requireAccepted(VersionRemoval.disable(rotated(), v(1), clean(Duration.ZERO)));
    assertEquals(VersionState.DISABLED, disabled.stateOf(v(1)).orElseThrow());
    Keystore back = requireAccepted(VersionRemoval.undoDisable(disabled, v(1)));
    assertEquals(VersionState.DECRYPT_ONLY, back.stateOf(v(1)).orElseThrow());
  }

  @Test
  void everyObjection_isNamed() {
    Evidence evidence =
        new Evidence(
            roster(heartbeat("api-1", 10, 1, 2)),
            Map.of("customers", new Counted(7, true), "orders", new NotCounted("no connection")),
            Duration.ofSeconds(10),
            Duration.ZERO);
    String reason = refusal(VersionRemoval.disable(rotated(), v(1), evidence));
    for (String part :
        List.of(
            "api-1 holds it as current",
            "a process may still hold a write lease",
            "7 records of customers carry it",
            "orders could not be counted: no connection")) {
      assertTrue(reason.contains(part), reason);
    }
  }

  @Test
  void collectionsThatNeedIt_areNamedInOneOrder() {
    Map<String, VersionRemoval.CountResult> countResults = new HashMap<>();
    for (char c = 'a'; c <= 'j'; c++) {
      countResults.put("c" + c, new Counted(1, true));
    }
    Evidence evidence = new Evidence(EMPTY_ROSTER, Map.copyOf(countResults), HOUR, Duration.ZERO);
    String reason = refusal(VersionRemoval.disable(rotated(), v(1), evidence));
    List<Integer> positions = countResults.keySet().stream().sorted().map(reason::indexOf).toList();
    assertEquals(positions.stream().sorted().toList(), positions, reason);
    assertTrue(positions.getFirst() >= 0, reason);
  }

  @Test
  void activeVersion_isNotRemoved() {
    assertTrue(
        refusal(VersionRemoval.disable(rotated(), v(2), clean(HOUR))).contains("v2 is active"));
  }

  @Test
  void removalDuringARotation_isRefused() {
    RotationEvent again =
        new RotationEvent.StartRequested(new RotationId("r-2"), v(2), v(3), "worker-1");
    Keystore moving = requireAccepted(rotated().decide(again));
    assertEquals(
        "rotation r-2 is under way", refusal(VersionRemoval.disable(moving, v(1), clean(HOUR))));
  }

  @Test
  void destroying_waitsForTheBackupHorizon() {
    Keystore disabled =
        requireAccepted(VersionRemoval.disable(rotated(), v(1), clean(Duration.ZERO)));
    assertTrue(
        refusal(
                VersionRemoval.startDestroying(
                    disabled, v(1), clean(HOUR), HORIZON, VersionRemoval.FenceWaiver.NONE))
            .contains("30 days"));
    Keystore destroying =
        requireAccepted(
            VersionRemoval.startDestroying(
                disabled, v(1), clean(HORIZON), HORIZON, VersionRemoval.FenceWaiver.NONE));
    assertInstanceOf(Refused.class, VersionRemoval.undoDisable(destroying, v(1)));
    Keystore destroyed = requireAccepted(VersionRemoval.finishDestroying(destroying, v(1)));
    assertEquals(VersionState.DESTROYED, destroyed.stateOf(v(1)).orElseThrow());
  }

  @Test
  void destroying_needsAFenceAndAFreshCount() {
    Keystore disabled =
        requireAccepted(VersionRemoval.disable(rotated(), v(1), clean(Duration.ZERO)));
    Evidence unfenced =
        new Evidence(EMPTY_ROSTER, Map.of("customers", new Counted(0, false)), HOUR, HORIZON);
    assertTrue(
        refusal(
                VersionRemoval.startDestroying(
                    disabled, v(1), unfenced, HORIZON, VersionRemoval.FenceWaiver.NONE))
            .contains("no fence"));
    Evidence restored =
        new Evidence(EMPTY_ROSTER, Map.of("customers", new Counted(1, true)), HOUR, HORIZON);
    assertTrue(
        refusal(
                VersionRemoval.startDestroying(
                    disabled, v(1), restored, HORIZON, VersionRemoval.FenceWaiver.NONE))
            .contains("1 records"));
  }

  @Test
  void destroyingWithoutDisabling_isRefused() {
    assertTrue(
        refusal(
                VersionRemoval.startDestroying(
                    rotated(), v(1), clean(HORIZON), HORIZON, VersionRemoval.FenceWaiver.NONE))
            .contains("v1 is decrypt-only, not disabled"));
  }
}
