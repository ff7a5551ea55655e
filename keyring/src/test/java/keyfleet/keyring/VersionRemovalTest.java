package keyfleet.keyring;

import static keyfleet.keyring.KeyringFixtures.FIRST;
import static keyfleet.keyring.KeyringFixtures.after;
import static keyfleet.keyring.KeyringFixtures.beat;
import static keyfleet.keyring.KeyringFixtures.keystore;
import static keyfleet.keyring.KeyringFixtures.next;
import static keyfleet.keyring.KeyringFixtures.roster;
import static keyfleet.keyring.KeyringFixtures.start;
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
  private static final Roster NOBODY = roster();

  private static Keystore rotated() {
    RotationEpoch before = new RotationEpoch(FIRST, 1);
    RotationEpoch after = new RotationEpoch(FIRST, 2);
    return after(
        keystore(),
        List.of(
            start(1, 2),
            new RotationEvent.GatePassed(before),
            new RotationEvent.FencesOpened(before),
            new RotationEvent.RewrapEnded(before),
            new RotationEvent.Settled(after),
            new RotationEvent.Fenced(after),
            new RotationEvent.SweepEnded(after),
            new RotationEvent.Proved(after)));
  }

  private static Evidence clean(Duration sinceDisabled) {
    return new Evidence(NOBODY, Map.of("customers", new Counted(0, true)), HOUR, sinceDisabled);
  }

  private static String refusal(KeystoreDecision decision) {
    return assertInstanceOf(Refused.class, decision).reason();
  }

  @Test
  void versionThatNothingNeeds_isDisabledAndCanComeBack() {
    Keystore disabled = next(VersionRemoval.disable(rotated(), v(1), clean(Duration.ZERO)));
    assertEquals(VersionState.DISABLED, disabled.stateOf(v(1)).orElseThrow());
    Keystore back = next(VersionRemoval.undo(disabled, v(1)));
    assertEquals(VersionState.DECRYPT_ONLY, back.stateOf(v(1)).orElseThrow());
  }

  @Test
  void everyObjection_isNamed() {
    Evidence evidence =
        new Evidence(
            roster(beat("api-1", 10, 1, 2)),
            Map.of("customers", new Counted(7, true), "orders", new NotCounted("no connection")),
            Duration.ofSeconds(10),
            Duration.ZERO);
    String said = refusal(VersionRemoval.disable(rotated(), v(1), evidence));
    for (String part :
        List.of(
            "api-1 holds it as current",
            "a process may still have a lease",
            "7 records of customers carry it",
            "orders could not be counted: no connection")) {
      assertTrue(said.contains(part), said);
    }
  }

  @Test
  void collectionsThatNeedIt_areNamedInOneOrder() {
    Map<String, VersionRemoval.CountResult> counts = new HashMap<>();
    for (char c = 'a'; c <= 'j'; c++) {
      counts.put("c" + c, new Counted(1, true));
    }
    Evidence evidence = new Evidence(NOBODY, Map.copyOf(counts), HOUR, Duration.ZERO);
    String said = refusal(VersionRemoval.disable(rotated(), v(1), evidence));
    List<Integer> places = counts.keySet().stream().sorted().map(said::indexOf).toList();
    assertEquals(places.stream().sorted().toList(), places, said);
    assertTrue(places.getFirst() >= 0, said);
  }

  @Test
  void activeVersion_isNotRemoved() {
    assertTrue(
        refusal(VersionRemoval.disable(rotated(), v(2), clean(HOUR))).contains("v2 is ACTIVE"));
  }

  @Test
  void removalDuringARotation_isRefused() {
    RotationEvent again =
        new RotationEvent.StartRequested(new RotationId("r-2"), v(2), v(3), "worker-1");
    Keystore moving = next(rotated().decide(again));
    assertEquals(
        "rotation r-2 is under way", refusal(VersionRemoval.disable(moving, v(1), clean(HOUR))));
  }

  @Test
  void destroying_waitsForTheBackupHorizon() {
    Keystore disabled = next(VersionRemoval.disable(rotated(), v(1), clean(Duration.ZERO)));
    assertTrue(
        refusal(VersionRemoval.destroy(disabled, v(1), clean(HOUR), HORIZON)).contains("30 days"));
    Keystore destroying = next(VersionRemoval.destroy(disabled, v(1), clean(HORIZON), HORIZON));
    assertInstanceOf(Refused.class, VersionRemoval.undo(destroying, v(1)));
    Keystore gone = next(VersionRemoval.destroyed(destroying, v(1)));
    assertEquals(VersionState.DESTROYED, gone.stateOf(v(1)).orElseThrow());
  }

  @Test
  void destroying_needsAFenceAndAFreshCount() {
    Keystore disabled = next(VersionRemoval.disable(rotated(), v(1), clean(Duration.ZERO)));
    Evidence unfenced =
        new Evidence(NOBODY, Map.of("customers", new Counted(0, false)), HOUR, HORIZON);
    assertTrue(
        refusal(VersionRemoval.destroy(disabled, v(1), unfenced, HORIZON)).contains("no fence"));
    Evidence restored =
        new Evidence(NOBODY, Map.of("customers", new Counted(1, true)), HOUR, HORIZON);
    assertTrue(
        refusal(VersionRemoval.destroy(disabled, v(1), restored, HORIZON)).contains("1 records"));
  }

  @Test
  void destroyingWithoutDisabling_isRefused() {
    assertTrue(
        refusal(VersionRemoval.destroy(rotated(), v(1), clean(HORIZON), HORIZON))
            .contains("v1 is DECRYPT_ONLY, not DISABLED"));
  }
}
