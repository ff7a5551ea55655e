package keyfleet.keyring;

import static keyfleet.keyring.KeyringFixtures.NOW;
import static keyfleet.keyring.KeyringFixtures.beat;
import static keyfleet.keyring.KeyringFixtures.readiness;
import static keyfleet.keyring.KeyringFixtures.roster;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.keyring.FleetReadiness.AnyProcesses;
import keyfleet.keyring.FleetReadiness.AtLeast;
import keyfleet.keyring.FleetReadiness.ExpectedProcesses;
import keyfleet.keyring.FleetReadiness.Laggard;
import keyfleet.keyring.FleetReadiness.Named;
import keyfleet.keyring.FleetReadiness.NoFreshProcess;
import keyfleet.keyring.FleetReadiness.NotReady;
import keyfleet.keyring.FleetReadiness.Ready;
import keyfleet.keyring.FleetReadiness.Reason;
import keyfleet.keyring.Heartbeat.LoadedVersion;
import org.junit.jupiter.api.Test;

class FleetReadinessTest {
  private static final Heartbeat GOOD = beat("api-1", 10, 1, 2);

  private static Reason onlyReason(Heartbeat beat) {
    NotReady verdict =
        assertInstanceOf(
            NotReady.class, readiness(2).judge(roster(GOOD, beat), new AnyProcesses()));
    assertEquals(1, verdict.laggards().size(), verdict.toString());
    return verdict.laggards().getFirst().reason();
  }

  @Test
  void everyoneHasTheTarget_isReady() {
    assertEquals(
        new Ready(2, List.of()),
        readiness(2).judge(roster(GOOD, beat("api-2", 60, 1, 2)), new AnyProcesses()));
  }

  @Test
  void processWithoutTheTarget_isALaggard() {
    assertEquals(Reason.MISSING, onlyReason(beat("api-2", 10, 1)));
  }

  @Test
  void processWithTheTargetFromAnotherProvider_isALaggard() {
    assertEquals(Reason.OTHER_PROVIDER, onlyReason(beat("api-2", 10, "file", 1, 2)));
  }

  /// The same number, other bytes: here the proof of another instance, which a wrong key gives too.
  @Test
  void processWithAProofThatIsNotItsOwn_isALaggard() {
    LoadedVersion stolen = GOOD.holds(KeyringFixtures.v(2)).orElseThrow();
    Heartbeat impostor = beat("api-2", 10, 1);
    assertEquals(
        Reason.OTHER_BYTES,
        onlyReason(
            new Heartbeat(
                impostor.origin(),
                Map.of(KeyringFixtures.v(2), stolen),
                impostor.current(),
                impostor.protocol(),
                impostor.epoch(),
                impostor.at())));
  }

  @Test
  void processWithOtherBytes_isALaggard() {
    assertEquals(Reason.OTHER_BYTES, onlyReason(saying(new Heartbeat.Failed())));
  }

  @Test
  void processThatHasNotTriedTheTargetYet_isALaggard() {
    assertEquals(Reason.NOT_PROVED, onlyReason(saying(new Heartbeat.Untried())));
  }

  private static Heartbeat saying(Heartbeat.ProofStatus word) {
    Heartbeat beat = beat("api-2", 10, 1);
    return new Heartbeat(
        beat.origin(),
        Map.of(KeyringFixtures.v(2), new LoadedVersion("env", word)),
        beat.current(),
        beat.protocol(),
        beat.epoch(),
        beat.at());
  }

  @Test
  void processOfAnOldProtocol_isALaggard() {
    Heartbeat old = beat("api-2", 10, 1, 2);
    assertEquals(
        Reason.OLD_PROTOCOL,
        onlyReason(
            new Heartbeat(old.origin(), old.loaded(), old.current(), 0, old.epoch(), old.at())));
  }

  @Test
  void currentVersion_needNotBeTheTarget() {
    assertInstanceOf(Ready.class, readiness(2).judge(roster(GOOD), new AnyProcesses()));
  }

  @Test
  void staleProcess_isListedAndNoLaggard() {
    Heartbeat stale = beat("api-2", 61, 1);
    assertEquals(
        new Ready(1, List.of(stale)), readiness(2).judge(roster(GOOD, stale), new AnyProcesses()));
  }

  @Test
  void staleProcessThatIsExpected_isMissing() {
    Heartbeat stale = beat("api-2", 61, 1, 2);
    assertEquals(
        new NotReady(List.of(), List.of("api-2"), List.of(stale)),
        readiness(2)
            .judge(roster(GOOD, stale), new Named(new TreeSet<>(Set.of("api-1", "api-2")))));
    assertEquals(
        new NotReady(List.of(), List.of("1 of 2 processes"), List.of(stale)),
        readiness(2).judge(roster(GOOD, stale), new AtLeast(2)));
  }

  @Test
  void nobodyFresh_isNeverReady() {
    assertEquals(new NoFreshProcess(List.of()), readiness(2).judge(roster(), new AnyProcesses()));
    Heartbeat stale = beat("api-1", 61, 1, 2);
    assertEquals(
        new NoFreshProcess(List.of(stale)), readiness(2).judge(roster(stale), new AnyProcesses()));
  }

  @Test
  void severalLaggards_areAllNamedInOrder() {
    NotReady verdict =
        assertInstanceOf(
            NotReady.class,
            readiness(2).judge(roster(beat("b", 1, 1), GOOD, beat("a", 1, 1)), new AnyProcesses()));
    assertEquals(
        List.of("a", "b"),
        verdict.laggards().stream().map(Laggard::beat).map(Heartbeat::instance).toList());
  }

  private static final List<ExpectedProcesses> EXPECTED =
      List.of(
          new AnyProcesses(),
          new AtLeast(3),
          new AtLeast(40),
          new Named(new TreeSet<>(Set.of("p-1", "p-2"))),
          new Named(new TreeSet<>(Set.of("p-1", "nobody"))));

  /// Stale ones, laggards and ready ones, cut anywhere.
  @Test
  void rosterInParts_isJudgedAsAWhole() {
    Random random = new Random(5);
    for (int i = 0; i < 300; i++) {
      List<Heartbeat> beats = new ArrayList<>();
      for (int n = random.nextInt(30); n >= 0; n--) {
        beats.add(random.nextInt(8) == 0 ? beat("p-" + n, age(random), 1) : good(n, random));
      }
      int first = random.nextInt(beats.size() + 1);
      int second = random.nextInt(first, beats.size() + 1);
      for (ExpectedProcesses expected : EXPECTED) {
        FleetReadiness readiness = readiness(2);
        List<RosterSummary> parts =
            List.of(
                readiness.muster(beats.subList(0, first), NOW, expected),
                readiness.muster(beats.subList(first, second), NOW, expected));
        Roster rest = new Roster(beats.subList(second, beats.size()), NOW);
        assertEquals(
            Optional.of(readiness.judge(new Roster(beats, NOW), expected)),
            readiness.judge(parts, rest, expected));
      }
    }
  }

  private static int age(Random random) {
    return random.nextInt(4) == 0 ? 61 : random.nextInt(61);
  }

  private static Heartbeat good(int number, Random random) {
    return beat("p-" + number, age(random), 1, 2);
  }

  @Test
  void partOfWhichSomebodyBecameStale_cannotBeJudged() {
    RosterSummary part = readiness(2).muster(List.of(GOOD), NOW, new AnyProcesses());
    Roster soon = new Roster(List.of(), NOW.plusSeconds(50));
    Roster later = new Roster(List.of(), NOW.plusSeconds(50).plusMillis(1));
    assertEquals(
        Optional.of(new Ready(1, List.of())),
        readiness(2).judge(List.of(part), soon, new AnyProcesses()));
    assertEquals(Optional.empty(), readiness(2).judge(List.of(part), later, new AnyProcesses()));
  }

  /// It was not known to be stale when its part was read.
  @Test
  void laggardInAPart_isStaleByTheTimeAtTheEnd() {
    Heartbeat laggard = beat("api-2", 10, 1);
    RosterSummary part = readiness(2).muster(List.of(laggard), NOW, new AnyProcesses());
    Roster later = new Roster(List.of(), NOW.plusSeconds(51));
    assertEquals(
        Optional.of(new NoFreshProcess(List.of(laggard))),
        readiness(2).judge(List.of(part), later, new AnyProcesses()));
  }
}
