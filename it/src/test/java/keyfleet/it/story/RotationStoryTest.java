package keyfleet.it.story;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.crypto.KekVersion;
import keyfleet.it.process.Await;
import keyfleet.it.process.InProcessMember;
import keyfleet.it.process.InProcessOperator;
import keyfleet.it.process.OrderApplication;
import keyfleet.it.process.ProcessFleet;
import keyfleet.it.process.ProcessFleet.KeySource;
import keyfleet.it.process.Shell;
import keyfleet.it.process.TestProcess;
import keyfleet.it.process.TestStores.Kind;
import keyfleet.keyring.Heartbeat;
import keyfleet.member.LocalProcess;
import keyfleet.store.Document;
import keyfleet.store.Value;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// The story that Keyfleet is for, with real processes under load: a laggard refused and mended, a
/// rotation while clerks write and read, the old key removed, every record opened without it.
@Timeout(420)
class RotationStoryTest {
  private static final List<String> CLERKS = List.of("api-1", "api-2");
  private static final String WORKER = "worker-1";
  private static final List<String> ALL = List.of(ProcessFleet.OPERATOR, WORKER, "api-1", "api-2");

  @TempDir Path folder = Path.of("");

  static Stream<Arguments> places() {
    return Stream.of(
        Arguments.of(Kind.SQLITE, KeySource.ENV),
        Arguments.of(Kind.POSTGRES, KeySource.FILE),
        Arguments.of(Kind.MONGODB, KeySource.ENV),
        Arguments.of(Kind.NATS, KeySource.FILE));
  }

  @ParameterizedTest
  @MethodSource("places")
  void fleet_changesItsKeyUnderLoadAndLosesNothing(Kind kind, KeySource supply) {
    try (ProcessFleet fleet = new ProcessFleet(folder, kind.open(folder), supply)) {
      new Story(fleet, kind, supply).tell();
    }
  }

  /// One telling of it.
  private static final class Story {
    private final ProcessFleet fleet;
    private final int volume;
    private final KeySource supply;
    private long added;

    /// Writes that were not acknowledged, and may have come to stand.
    private long doubtful;

    private TestProcess worker;
    private TestProcess first;
    private TestProcess second;

    Story(ProcessFleet fleet, Kind kind, KeySource supply) {
      this.fleet = fleet;
      this.volume = kind.volume();
      this.supply = supply;
      ALL.forEach(it -> fleet.give(it, 1));
      fleet.give("loader", 1);
      assertEquals(
          List.of("main v1 is active"),
          fleet.run(ProcessFleet.TIMINGS, "kek", "announce", "--version=1").err());
      assertEquals(volume, fleet.report("loader", "load", "" + volume).number("inserted"));
      worker = fleet.server(WORKER);
      first = clerk(0);
      second = clerk(1);
    }

    private TestProcess clerk(int number) {
      TestProcess clerk = fleet.clerk(CLERKS.get(number), "work", "" + number, "2", "" + volume);
      clerk.awaitLine(OrderApplication.AT_WORK);
      return clerk;
    }

    void tell() {
      try (InProcessOperator overseer = fleet.overseer()) {
        refuseTheLaggard(overseer);
        rotate(overseer);
        remove();
        assertInstanceOf(AuditVerdict.Intact.class, overseer.audit());
      }
    }

    private void refuseTheLaggard(InProcessOperator overseer) {
      List.of(ProcessFleet.OPERATOR, WORKER, "api-1").forEach(it -> fleet.give(it, 2));
      if (supply == KeySource.ENV) {
        worker = restartedWorker();
        first = restartedClerk(first, 0);
      }
      fleet.run(0, "kek", "announce", "--version=2");
      Await.holds("two processes prove v2", () -> InProcessMember.isReady(overseer, 2, 2));
      List<String> laggard =
          List.of(
              "NOT READY: target=2",
              "LAGGARDS:",
              "host=%s pid=%d loaded=[1] current=1 provider=%s version=0.1.0 reason=missing"
                  .formatted(host(), second.pid(), supply == KeySource.ENV ? "env" : "file"),
              "On %s: %s"
                  .formatted(
                      host(),
                      supply == KeySource.ENV
                          ? "set KEYFLEET_KEK_V2 and restart the process"
                          : "place main.v2.key, mode 0600, into the key folder; no restart is"
                              + " needed"),
              "Try: keyfleet kek verify --target=2");
      assertEquals(laggard, fleet.run(2, "kek", "verify", "--target=2").err());
      assertEquals(
          laggard, fleet.run(2, "kek", "rotate", "--from-version=1", "--to-version=2").err());
      fleet.give("api-2", 2);
      if (supply == KeySource.ENV) {
        second = restartedClerk(second, 1);
      }
      assertEquals(
          List.of("READY: target=2 processes=3"),
          fleet.run(0, "kek", "verify", "--target=2", "--wait", "--timeout=30s").out());
    }

    private static String host() {
      return LocalProcess.current().host();
    }

    private TestProcess restartedWorker() {
      assertEquals(143, worker.stop(), worker::said);
      return fleet.server(WORKER);
    }

    private TestProcess restartedClerk(TestProcess clerk, int number) {
      settle(clerk);
      return clerk(number);
    }

    /// Whatever happened meanwhile, it read what had been written.
    private void settle(TestProcess clerk) {
      Document report = ProcessFleet.reportOf(clerk);
      assertEquals(0, report.number("failed_reads"), clerk::said);
      assertEquals(0, report.number("wrong_reads"), clerk::said);
      assertEquals(0, report.number("unanswered_reads"), clerk::said);
      assertTrue(report.number("reads") > 0, clerk::said);
      added += report.number("added");
      doubtful += report.number("unanswered_writes") + report.number("refused_writes");
    }

    private void rotate(InProcessOperator overseer) {
      TestProcess rotating =
          fleet.start(
              ProcessFleet.OPERATOR,
              Map.of(),
              ProcessFleet.command(
                  List.of(
                      "kek",
                      "rotate",
                      "--from-version=1",
                      "--to-version=2",
                      "--wait",
                      "--timeout=2m")));
      Await.holds("v2 is active", () -> overseer.keystore().active().number() == 2, rotating::said);
      everybodySees(overseer, overseer.roster().storeTime());
      assertEquals(0, rotating.await(), rotating::said);
      Shell.Result status = fleet.run(0, "kek", "status", "-o", "json");
      Document json = Document.parse(Value.of(status.out().getFirst()));
      assertEquals("completed", json.text("state"), status::toString);
      assertEquals(0, json.number("failed_records"), status::toString);
      assertTrue(json.number("done") >= volume, status::toString);
    }

    /// Each process hears of the flip with its next heartbeat: none that was sent a beat and a half
    /// after it shows the old epoch.
    private static void everybodySees(InProcessOperator overseer, Instant flip) {
      Duration tick = overseer.keystore().timings().heartbeat().multipliedBy(3).dividedBy(2);
      long epoch = overseer.keystore().epoch();
      Await.holds(
          "all beats show epoch " + epoch,
          () -> {
            List<Heartbeat> beats = overseer.roster().heartbeats();
            for (Heartbeat beat : beats) {
              assertTrue(
                  beat.epoch() == epoch || beat.writtenAt().isBefore(flip.plus(tick)),
                  () -> beat.instance() + " did not see the flip of " + flip + ": " + beat);
            }
            return beats.stream().allMatch(it -> it.epoch() == epoch && isCurrent(it));
          });
    }

    private static boolean isCurrent(Heartbeat beat) {
      return new KekVersion(2).equals(beat.current());
    }

    private void remove() {
      assertEquals(
          List.of("main v1 is disabled"),
          fleet.run(0, "kek", "remove", "--version=1", "--yes").err());
      ALL.forEach(it -> fleet.take(it, 1));
      if (supply == KeySource.ENV) {
        worker = restartedWorker();
        first = restartedClerk(first, 0);
        second = restartedClerk(second, 1);
      }
      assertEquals(
          List.of("READY: target=2 processes=3"),
          fleet.run(0, "kek", "verify", "--target=2", "--wait", "--timeout=30s").out());
      settle(first);
      settle(second);
      assertEquals(143, worker.stop(), worker::said);
      fleet.give("checker", 2);
      Document all = fleet.report("checker", "check");
      long opened = all.number("opened");
      assertTrue(
          opened >= volume + added && opened <= volume + added + doubtful,
          () -> "%d + %d records, %d doubtful: %s".formatted(volume, added, doubtful, all));
      assertEquals(opened, all.number("v2"), "all are under v2");
      assertEquals(0, all.number("wrong"));
      fleet.run(0, "kek", "inventory");
    }
  }
}
