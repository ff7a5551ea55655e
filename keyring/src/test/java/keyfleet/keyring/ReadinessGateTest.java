package keyfleet.keyring;

import static keyfleet.keyring.KeyringFixtures.NOW;
import static keyfleet.keyring.KeyringFixtures.heartbeat;
import static keyfleet.keyring.KeyringFixtures.readinessGate;
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
import keyfleet.keyring.Heartbeat.LoadedVersion;
import keyfleet.keyring.ReadinessGate.AnyProcesses;
import keyfleet.keyring.ReadinessGate.AtLeast;
import keyfleet.keyring.ReadinessGate.ExpectedProcesses;
import keyfleet.keyring.ReadinessGate.Laggard;
import keyfleet.keyring.ReadinessGate.Named;
import keyfleet.keyring.ReadinessGate.NoFreshProcess;
import keyfleet.keyring.ReadinessGate.NotReady;
import keyfleet.keyring.ReadinessGate.Ready;
import keyfleet.keyring.ReadinessGate.Reason;
import org.junit.jupiter.api.Test;

class ReadinessGateTest {
  private static final Heartbeat GOOD = heartbeat("api-1", 10, 1, 2);

  private static Reason onlyReason(Heartbeat heartbeat) {
    NotReady verdict =
        assertInstanceOf(
            NotReady.class, readinessGate(2).evaluate(roster(GOOD, heartbeat), new AnyProcesses()));
    assertEquals(1, verdict.laggards().size(), verdict.toString());
    return verdict.laggards().getFirst().reason();
  }

  @Test
  void everyProcessWithTheTarget_isReady() {
    assertEquals(
        new Ready(2, List.of()),
        readinessGate(2).evaluate(roster(GOOD, heartbeat("api-2", 60, 1, 2)), new AnyProcesses()));
  }

  @Test
  void processWithoutTheTarget_isALaggard() {
    assertEquals(Reason.MISSING, onlyReason(heartbeat("api-2", 10, 1)));
  }

  @Test
  void processWithTheTargetFromAnotherProvider_isALaggard() {
    assertEquals(Reason.OTHER_PROVIDER, onlyReason(heartbeat("api-2", 10, "file", 1, 2)));
  }

  /// The same number with other bytes: here the proof of another instance, which looks like that of
  /// a wrong key.
  @Test
  void processWithAProofThatIsNotItsOwn_isALaggard() {
    LoadedVersion stolen = GOOD.loadedVersion(KeyringFixtures.v(2)).orElseThrow();
    Heartbeat impostor = heartbeat("api-2", 10, 1);
    assertEquals(
        Reason.OTHER_BYTES,
        onlyReason(
            new Heartbeat(
                impostor.process(),
                Map.of(KeyringFixtures.v(2), stolen),
                impostor.current(),
                impostor.protocol(),
                impostor.epoch(),
                impostor.writtenAt())));
  }

  @Test
  void processWithOtherBytes_isALaggard() {
    assertEquals(Reason.OTHER_BYTES, onlyReason(heartbeatWith(new Heartbeat.Failed())));
  }

  @Test
  void processThatHasNotTriedTheTargetYet_isALaggard() {
    assertEquals(Reason.NOT_PROVED, onlyReason(heartbeatWith(new Heartbeat.Untried())));
  }

  private static Heartbeat heartbeatWith(Heartbeat.ProofStatus proofStatus) {
    Heartbeat heartbeat = heartbeat("api-2", 10, 1);
    return new Heartbeat(
        heartbeat.process(),
        Map.of(KeyringFixtures.v(2), new LoadedVersion("env", proofStatus)),
        heartbeat.current(),
        heartbeat.protocol(),
        heartbeat.epoch(),
        heartbeat.writtenAt());
  }

  @Test
  void processOfAnOldProtocol_isALaggard() {
    Heartbeat old = heartbeat("api-2", 10, 1, 2);
    assertEquals(
        Reason.OLD_PROTOCOL,
        onlyReason(
            new Heartbeat(
                old.process(),
                old.loadedVersions(),
                old.current(),
                0,
                old.epoch(),
                old.writtenAt())));
  }

  @Test
  void currentVersion_needNotBeTheTarget() {
    assertInstanceOf(Ready.class, readinessGate(2).evaluate(roster(GOOD), new AnyProcesses()));
  }

  @Test
  void staleProcess_isListedAndNoLaggard() {
    Heartbeat stale = heartbeat("api-2", 61, 1);
    assertEquals(
        new Ready(1, List.of(stale)),
        readinessGate(2).evaluate(roster(GOOD, stale), new AnyProcesses()));
  }

  @Test
  void staleProcessThatIsExpected_isMissing() {
    Heartbeat stale = heartbeat("api-2", 61, 1, 2);
    assertEquals(
        new NotReady(List.of(), List.of("api-2"), List.of(), List.of(stale)),
        readinessGate(2)
            .evaluate(roster(GOOD, stale), new Named(new TreeSet<>(Set.of("api-1", "api-2")))));
    assertEquals(
        new NotReady(List.of(), List.of("1 of 2 processes"), List.of(), List.of(stale)),
        readinessGate(2).evaluate(roster(GOOD, stale), new AtLeast(2)));
  }

  @Test
  void noFreshProcess_isNeverReady() {
    assertEquals(
        new NoFreshProcess(List.of()), readinessGate(2).evaluate(roster(), new AnyProcesses()));
    Heartbeat stale = heartbeat("api-1", 61, 1, 2);
    assertEquals(
        new NoFreshProcess(List.of(stale)),
        readinessGate(2).evaluate(roster(stale), new AnyProcesses()));
  }

  @Test
  void severalLaggards_areAllNamedInOrder() {
    NotReady verdict =
        assertInstanceOf(
            NotReady.class,
            readinessGate(2)
                .evaluate(
                    roster(heartbeat("b", 1, 1), GOOD, heartbeat("a", 1, 1)), new AnyProcesses()));
    assertEquals(
        List.of("a", "b"),
        verdict.laggards().stream().map(Laggard::heartbeat).map(Heartbeat::instance).toList());
  }

  private static final List<ExpectedProcesses> EXPECTED =
      List.of(
          new AnyProcesses(),
          new AtLeast(3),
          new AtLeast(40),
          new Named(new TreeSet<>(Set.of("p-1", "p-2"))),
          new Named(new TreeSet<>(Set.of("p-1", "absent"))));

  /// Splits rosters of stale, lagging and ready processes at random positions.
  @Test
  void rosterInParts_isEvaluatedAsAWhole() {
    Random random = new Random(5);
    for (int i = 0; i < 300; i++) {
      List<Heartbeat> heartbeats = new ArrayList<>();
      for (int n = random.nextInt(30); n >= 0; n--) {
        heartbeats.add(
            random.nextInt(8) == 0
                ? heartbeat("p-" + n, randomAge(random), 1)
                : readyHeartbeat(n, random));
      }
      int first = random.nextInt(heartbeats.size() + 1);
      int second = random.nextInt(first, heartbeats.size() + 1);
      for (ExpectedProcesses expected : EXPECTED) {
        ReadinessGate readinessGate = readinessGate(2);
        List<RosterSummary> parts =
            List.of(
                readinessGate.summarize(heartbeats.subList(0, first), NOW, expected),
                readinessGate.summarize(heartbeats.subList(first, second), NOW, expected));
        Roster rest = new Roster(heartbeats.subList(second, heartbeats.size()), NOW);
        assertEquals(
            Optional.of(readinessGate.evaluate(new Roster(heartbeats, NOW), expected)),
            readinessGate.evaluate(parts, rest, expected));
      }
    }
  }

  private static int randomAge(Random random) {
    return random.nextInt(4) == 0 ? 61 : random.nextInt(61);
  }

  private static Heartbeat readyHeartbeat(int number, Random random) {
    return heartbeat("p-" + number, randomAge(random), 1, 2);
  }

  @Test
  void partWithAProcessThatBecameStale_cannotBeEvaluated() {
    RosterSummary part = readinessGate(2).summarize(List.of(GOOD), NOW, new AnyProcesses());
    Roster soon = new Roster(List.of(), NOW.plusSeconds(50));
    Roster later = new Roster(List.of(), NOW.plusSeconds(50).plusMillis(1));
    assertEquals(
        Optional.of(new Ready(1, List.of())),
        readinessGate(2).evaluate(List.of(part), soon, new AnyProcesses()));
    assertEquals(
        Optional.empty(), readinessGate(2).evaluate(List.of(part), later, new AnyProcesses()));
  }

  /// The process was not yet stale when its part was read.
  @Test
  void laggardInAPart_isStaleByTheTimeAtTheEnd() {
    Heartbeat laggard = heartbeat("api-2", 10, 1);
    RosterSummary part = readinessGate(2).summarize(List.of(laggard), NOW, new AnyProcesses());
    Roster later = new Roster(List.of(), NOW.plusSeconds(51));
    assertEquals(
        Optional.of(new NoFreshProcess(List.of(laggard))),
        readinessGate(2).evaluate(List.of(part), later, new AnyProcesses()));
  }

  /// Its API server keeps storing what it seals.
  @Test
  void knownPluginWithoutAFreshHeartbeat_isNotReady() {
    KnownPlugin heard =
        new KnownPlugin(new KnownPlugin.Place("blue", "node-1", "/kms.sock"), GOOD.instance());
    KnownPlugin silent =
        new KnownPlugin(new KnownPlugin.Place("blue", "node-2", "/kms.sock"), "plugin-2");
    Heartbeat stale = heartbeat("plugin-2", 61, 1, 2);
    assertInstanceOf(
        Ready.class, readinessGate(2, heard).evaluate(roster(GOOD), new AnyProcesses()));
    assertEquals(
        new NotReady(List.of(), List.of(), List.of(silent), List.of(stale)),
        readinessGate(2, heard, silent).evaluate(roster(GOOD, stale), new AnyProcesses()));
    ReadinessGate gate = readinessGate(2, heard, silent);
    RosterSummary part = gate.summarize(List.of(GOOD), NOW, new AnyProcesses());
    assertEquals(
        Optional.of(new NotReady(List.of(), List.of(), List.of(silent), List.of())),
        gate.evaluate(List.of(part), roster(), new AnyProcesses()));
  }

  /// The store's clock was set back; the process may have died since.
  @Test
  void heartbeatFromTheFuture_isNotFresh() {
    Heartbeat soon = heartbeat("api-2", -5, 1, 2);
    Heartbeat ahead = heartbeat("api-3", -6, 1, 2);
    assertEquals(
        new Ready(2, List.of(ahead)),
        readinessGate(2).evaluate(roster(GOOD, soon, ahead), new AnyProcesses()));
    RosterSummary part = readinessGate(2).summarize(List.of(ahead), NOW, new AnyProcesses());
    assertEquals(
        Optional.empty(), readinessGate(2).evaluate(List.of(part), roster(), new AnyProcesses()));
  }
}
