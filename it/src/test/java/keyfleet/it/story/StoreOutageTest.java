package keyfleet.it.story;

import static keyfleet.it.process.InProcessOperator.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.it.process.Await;
import keyfleet.it.process.InProcessMember;
import keyfleet.it.process.InProcessOperator;
import keyfleet.it.process.OrderApplication;
import keyfleet.it.process.ProcessFleet;
import keyfleet.it.process.ProcessFleet.KeySource;
import keyfleet.it.process.TestProcess;
import keyfleet.it.process.TestStores;
import keyfleet.it.process.TestStores.Kind;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.nats.NatsTestServer;
import keyfleet.postgres.PostgresTestServer;
import keyfleet.store.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The store is killed (SIGKILL) during a rotation and restarted. No process needs a restart: the
/// rotation continues, and acknowledged writes are there.
@Timeout(300)
class StoreOutageTest {
  private static final int RECORDS = 600;

  @TempDir Path folder = Path.of("");

  @Test
  void postgresKilledInMidRotation_isUsedAgainAfterItsRestart() {
    try (PostgresTestServer server = PostgresTestServer.startNew();
        ProcessFleet fleet =
            new ProcessFleet(
                folder, new TestStores.SingleStore(server.url("postgres", "")), KeySource.ENV)) {
      assertSurvivesOutage(fleet, server::kill, server::start);
    }
  }

  @Test
  void natsKilledInMidRotation_isUsedAgainAfterItsRestart() {
    TestStores stores = Kind.NATS.open(folder);
    NatsTestServer server = ((TestStores.NatsAndPostgres) stores).server();
    try (ProcessFleet fleet = new ProcessFleet(folder, stores, KeySource.ENV)) {
      assertSurvivesOutage(fleet, server::kill, server::restart);
    }
  }

  private static void assertSurvivesOutage(ProcessFleet fleet, Runnable kill, Runnable restart) {
    List.of(ProcessFleet.OPERATOR, "loader", "app", "worker-1", "worker-2")
        .forEach(it -> fleet.giveKeys(it, 1, 2));
    TestProcess app;
    try (InProcessOperator operator = fleet.operator()) {
      operator.announce(1, ProcessFleet.timings());
      fleet.runApplication("loader", "load", "" + RECORDS);
      operator.announce(2, ProcessFleet.timings());
      app = fleet.startApplication("app", "work", "0", "1", "" + RECORDS);
      app.awaitLine(OrderApplication.AT_WORK);
      fleet.startServer("worker-1", "--rate", "100");
      fleet.startServer("worker-2", "--rate", "100");
      Await.until("v2 is proved", () -> InProcessMember.isReady(operator, 2, 3));
      InProcessOperator.requireDone(operator.orders().rotate(v(1), v(2)));
      Await.until(
          "records are rewrapped",
          () -> operator.recordsByVersion().containsKey(v(2)),
          app::output);
    }
    kill.run();
    app.awaitLine("the store does not answer");
    restart.run();
    try (InProcessOperator operator = fleet.operator()) {
      Await.until(
          "the rotation is completed",
          () -> operator.keystore().rotation() instanceof Completed,
          () -> operator.keystore().rotation().toString());
      Document report = ProcessFleet.reportOf(app);
      assertEquals(0, report.number("failed_reads"), app::output);
      assertEquals(0, report.number("wrong_reads"), app::output);
      long all = operator.recordsByVersion().getOrDefault(v(2), 0L);
      assertEquals(Map.of(v(2), all), operator.recordsByVersion());
      assertTrue(all >= RECORDS + report.number("added"), app::output);
      assertInstanceOf(AuditVerdict.Intact.class, operator.verifyAudit());
    }
  }
}
