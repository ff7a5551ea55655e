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

/// The main story of Keyfleet, with real processes under load: a laggard is refused and repaired, a
/// rotation runs while applications read and write, the old key is removed, every record opens
/// without it.
@Timeout(420)
class RotationStoryTest {
  private static final List<String> APPLICATIONS = List.of("api-1", "api-2");
  private static final String WORKER = "worker-1";
  private static final List<String> ALL = List.of(ProcessFleet.OPERATOR, WORKER, "api-1", "api-2");

  @TempDir Path folder = Path.of("");

  static Stream<Arguments> fleets() {
    return Stream.of(
        Arguments.of(Kind.SQLITE, KeySource.ENV),
        Arguments.of(Kind.POSTGRES, KeySource.FILE),
        Arguments.of(Kind.MONGODB, KeySource.ENV),
        Arguments.of(Kind.NATS, KeySource.FILE));
  }

  @ParameterizedTest
  @MethodSource("fleets")
  void fleet_changesItsKeyUnderLoadAndLosesNothing(Kind kind, KeySource keySource) {
    try (ProcessFleet fleet = new ProcessFleet(folder, kind.open(folder), keySource)) {
      new Story(fleet, kind, keySource).run();
    }
  }

  /// One run of the story.
  private static final class Story {
    private final ProcessFleet fleet;
    private final int recordCount;
    private final KeySource keySource;
    private long added;

    /// Writes that were not acknowledged and may have been applied.
    private long unclearWrites;

    private TestProcess worker;
    private TestProcess first;
    private TestProcess second;

    Story(ProcessFleet fleet, Kind kind, KeySource keySource) {
      this.fleet = fleet;
      this.recordCount = kind.recordCount();
      this.keySource = keySource;
      ALL.forEach(it -> fleet.giveKeys(it, 1));
      fleet.giveKeys("loader", 1);
      assertEquals(
          List.of("main v1 is active"),
          fleet.run(ProcessFleet.TIMINGS, "kek", "announce", "--version=1").err());
      assertEquals(
          recordCount, fleet.runApplication("loader", "load", "" + recordCount).number("inserted"));
      worker = fleet.startServer(WORKER);
      first = startApplication(0);
      second = startApplication(1);
    }

    private TestProcess startApplication(int number) {
      TestProcess application =
          fleet.startApplication(
              APPLICATIONS.get(number), "work", "" + number, "2", "" + recordCount);
      application.awaitLine(OrderApplication.AT_WORK);
      return application;
    }

    void run() {
      try (InProcessOperator operator = fleet.operator()) {
        checkLaggardIsRefused(operator);
        rotate(operator);
        assertEquals(0, operator.records().census().mismatched(), "kek_version is right");
        remove();
        assertInstanceOf(AuditVerdict.Intact.class, operator.verifyAudit());
      }
    }

    private void checkLaggardIsRefused(InProcessOperator operator) {
      List.of(ProcessFleet.OPERATOR, WORKER, "api-1").forEach(it -> fleet.giveKeys(it, 2));
      if (keySource == KeySource.ENV) {
        worker = restartWorker();
        first = restartApplication(first, 0);
      }
      fleet.run(0, "kek", "announce", "--version=2");
      Await.until("two processes prove v2", () -> InProcessMember.isReady(operator, 2, 2));
      List<String> laggard =
          List.of(
              "NOT READY: target=2",
              "LAGGARDS:",
              "host=%s pid=%d loaded=[1] current=1 provider=%s version=0.1.0 reason=missing instance=api-2"
                  .formatted(host(), second.pid(), keySource == KeySource.ENV ? "env" : "file"),
              "On api-2: %s"
                  .formatted(
                      keySource == KeySource.ENV
                          ? "set KEYFLEET_KEK_V2 and restart the process"
                          : "place main.v2.key in %s with mode 0600; no restart is needed"
                              .formatted(fleet.keyFolder("api-2"))),
              "Try: keyfleet kek verify --target=2 --wait");
      assertEquals(laggard, fleet.run(2, "kek", "verify", "--target=2").err());
      assertEquals(
          laggard, fleet.run(2, "kek", "rotate", "--from-version=1", "--to-version=2").err());
      fleet.giveKeys("api-2", 2);
      if (keySource == KeySource.ENV) {
        second = restartApplication(second, 1);
      }
      assertEquals(
          List.of("READY: target=2 processes=3"),
          fleet.run(0, "kek", "verify", "--target=2", "--wait", "--timeout=30s").out());
    }

    private static String host() {
      return LocalProcess.current().host();
    }

    private TestProcess restartWorker() {
      assertEquals(143, worker.stop(), worker::output);
      return fleet.startServer(WORKER);
    }

    private TestProcess restartApplication(TestProcess application, int number) {
      stopAndCheck(application);
      return startApplication(number);
    }

    /// Stops the application and checks that it read what was written.
    private void stopAndCheck(TestProcess application) {
      Document report = ProcessFleet.reportOf(application);
      assertEquals(0, report.number("failed_reads"), application::output);
      assertEquals(0, report.number("wrong_reads"), application::output);
      assertEquals(0, report.number("unanswered_reads"), application::output);
      assertTrue(report.number("reads") > 0, application::output);
      added += report.number("added");
      unclearWrites += report.number("unanswered_writes") + report.number("refused_writes");
    }

    private void rotate(InProcessOperator operator) {
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
      Await.until(
          "v2 is active", () -> operator.keystore().active().number() == 2, rotating::output);
      awaitFlipSeen(operator, operator.roster().storeTime());
      assertEquals(0, rotating.await(), rotating::output);
      Shell.Result status = fleet.run(0, "kek", "status", "-o", "json");
      Document json = Document.parse(Value.of(status.out().getFirst()));
      assertEquals("completed", json.text("state"), status::toString);
      assertEquals(0, json.number("failed_records"), status::toString);
      assertTrue(json.number("done") >= recordCount, status::toString);
    }

    /// Each process learns of the flip with its next heartbeat: no heartbeat that is sent one and a
    /// half periods after the flip shows the old epoch.
    private static void awaitFlipSeen(InProcessOperator operator, Instant flip) {
      Duration tick = operator.keystore().timings().heartbeat().multipliedBy(3).dividedBy(2);
      long epoch = operator.keystore().epoch();
      Await.until(
          "all heartbeats show epoch " + epoch,
          () -> {
            List<Heartbeat> heartbeats = operator.roster().heartbeats();
            for (Heartbeat heartbeat : heartbeats) {
              assertTrue(
                  heartbeat.epoch() == epoch || heartbeat.writtenAt().isBefore(flip.plus(tick)),
                  () ->
                      heartbeat.instance() + " did not see the flip of " + flip + ": " + heartbeat);
            }
            return heartbeats.stream().allMatch(it -> it.epoch() == epoch && isCurrent(it));
          });
    }

    private static boolean isCurrent(Heartbeat heartbeat) {
      return new KekVersion(2).equals(heartbeat.current());
    }

    private void remove() {
      assertEquals(
          List.of("main v1 is disabled"),
          fleet.run(0, "kek", "remove", "--version=1", "--yes").err());
      ALL.forEach(it -> fleet.removeKey(it, 1));
      if (keySource == KeySource.ENV) {
        worker = restartWorker();
        first = restartApplication(first, 0);
        second = restartApplication(second, 1);
      }
      assertEquals(
          List.of("READY: target=2 processes=3"),
          fleet.run(0, "kek", "verify", "--target=2", "--wait", "--timeout=30s").out());
      stopAndCheck(first);
      stopAndCheck(second);
      assertEquals(143, worker.stop(), worker::output);
      fleet.giveKeys("checker", 2);
      Document all = fleet.runApplication("checker", "check");
      long opened = all.number("opened");
      assertTrue(
          opened >= recordCount + added && opened <= recordCount + added + unclearWrites,
          () ->
              "%d + %d records, %d doubtful: %s".formatted(recordCount, added, unclearWrites, all));
      assertEquals(opened, all.number("v2"), "all are under v2");
      assertEquals(0, all.number("wrong"));
      fleet.run(0, "kek", "inventory");
    }
  }
}
