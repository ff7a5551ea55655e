package keyfleet.it.story;

import static keyfleet.it.process.InProcessOperator.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.it.process.Await;
import keyfleet.it.process.FakeCalendar;
import keyfleet.it.process.InProcessOperator;
import keyfleet.it.process.ProcessFleet;
import keyfleet.it.process.ProcessFleet.KeySource;
import keyfleet.it.process.Shell;
import keyfleet.it.process.TestProcess;
import keyfleet.it.process.TestStores.Kind;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.RotationJob;
import keyfleet.store.Document;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Hosts whose dates are five minutes ahead and five minutes behind, much more than the time after
/// which a process is stale. No decision depends on their dates.
@Timeout(420)
@Execution(ExecutionMode.CONCURRENT)
class ClockSkewTest {
  private static final int RECORDS = 600;
  private static final Duration SKEW = Duration.ofMinutes(5);
  private static final Map<String, Duration> WORKERS =
      Map.of("ahead", SKEW, "exact", Duration.ZERO, "behind", SKEW.negated());

  @TempDir Path folder = Path.of("");

  @ParameterizedTest
  @EnumSource(names = {"SQLITE", "POSTGRES"})
  void skewedFleet_verifiesRotatesAdoptsAndRemoves(Kind kind) {
    try (ProcessFleet fleet = new ProcessFleet(folder, kind.open(folder), KeySource.ENV);
        InProcessOperator operator = loadRecords(fleet)) {
      Map<String, TestProcess> workers = startWorkers(fleet);
      Shell.Result ready =
          runCommand(fleet, SKEW, "kek", "verify", "--target=2", "--wait", "--timeout=60s");
      assertEquals(List.of("READY: target=2 processes=3"), ready.out());
      assertEquals(List.of(), ready.err());
      runCommand(fleet, SKEW.negated(), "kek", "rotate", "--from-version=1", "--to-version=2");
      Await.until("records are rewrapped", () -> operator.recordsByVersion().containsKey(v(2)));
      String driver = driver(operator);
      Objects.requireNonNull(workers.get(driver), driver).kill();
      Await.until(
          "the rotation is completed",
          () -> operator.keystore().rotation() instanceof Completed,
          () -> operator.keystore().rotation().toString());
      assertTrue(!driver(operator).equals(driver), "another process has taken over");
      assertEquals(Map.of(v(2), (long) RECORDS), operator.recordsByVersion());
      runCommand(fleet, SKEW, "kek", "remove", "--version=1", "--yes");
      assertInstanceOf(AuditVerdict.Intact.class, operator.verifyAudit());
      assertReadable(fleet);
    }
  }

  private static InProcessOperator loadRecords(ProcessFleet fleet) {
    List.of(ProcessFleet.OPERATOR, "loader", "ahead", "exact", "behind")
        .forEach(it -> fleet.giveKeys(it, 1, 2));
    InProcessOperator operator = fleet.operator();
    operator.announce(1, ProcessFleet.timings());
    fleet.runApplication("loader", "load", "" + RECORDS);
    operator.announce(2, ProcessFleet.timings());
    return operator;
  }

  /// Each worker's log shows its own date.
  private static Map<String, TestProcess> startWorkers(ProcessFleet fleet) {
    Map<String, TestProcess> started = new HashMap<>();
    WORKERS.forEach((name, skew) -> {
      TestProcess worker = fleet.startServer(name, FakeCalendar.ahead(skew), "--rate", "100");
      String line = worker.awaitLine("listening on");
      String date = line.substring(0, line.indexOf(' '));
      Duration off = Duration.between(Instant.now(), Instant.parse(date)).minus(skew).abs();
      assertTrue(off.compareTo(Duration.ofMinutes(1)) < 0, () -> name + " has the date " + date);
      started.put(name, worker);
    });
    return started;
  }

  private static Shell.Result runCommand(ProcessFleet fleet, Duration skew, String... args) {
    Shell.Result result = fleet.run(FakeCalendar.ahead(skew), args);
    assertEquals(0, result.exit(), () -> String.join(" ", args) + ": " + result);
    return result;
  }

  private static String driver(InProcessOperator operator) {
    String driver =
        Rotation.lastJob(operator.keystore().rotation()).map(RotationJob::driver).orElseThrow();
    return driver.substring(0, driver.indexOf('/'));
  }

  private static void assertReadable(ProcessFleet fleet) {
    fleet.giveKeys("reader", 2);
    Document all = fleet.runApplication("reader", "check");
    assertEquals(RECORDS, all.number("v2"), all::toString);
    assertEquals(0, all.number("wrong"), all::toString);
  }
}
