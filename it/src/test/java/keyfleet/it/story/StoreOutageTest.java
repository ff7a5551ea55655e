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

/// The store is killed (SIGKILL) in the middle of a rotation and comes back. Nobody restarts a
/// process for that: the rotation goes on, and what was acknowledged is there.
@Timeout(300)
class StoreOutageTest {
  private static final int RECORDS = 600;

  @TempDir Path folder = Path.of("");

  @Test
  void postgresKilledInMidRotation_isFoundAgain() {
    try (PostgresTestServer server = PostgresTestServer.startNew();
        ProcessFleet fleet =
            new ProcessFleet(
                folder, new TestStores.SingleStore(server.url("postgres", "")), KeySource.ENV)) {
      survives(fleet, server::kill, server::start);
    }
  }

  @Test
  void natsKilledInMidRotation_isFoundAgain() {
    TestStores site = Kind.NATS.open(folder);
    NatsTestServer server = ((TestStores.NatsAndPostgres) site).server();
    try (ProcessFleet fleet = new ProcessFleet(folder, site, KeySource.ENV)) {
      survives(fleet, server::kill, server::restart);
    }
  }

  private static void survives(ProcessFleet fleet, Runnable kill, Runnable restart) {
    List.of(ProcessFleet.OPERATOR, "loader", "app", "worker-1", "worker-2")
        .forEach(it -> fleet.give(it, 1, 2));
    TestProcess app;
    try (InProcessOperator overseer = fleet.overseer()) {
      overseer.announce(1, ProcessFleet.timings());
      fleet.report("loader", "load", "" + RECORDS);
      overseer.announce(2, ProcessFleet.timings());
      app = fleet.clerk("app", "work", "0", "1", "" + RECORDS);
      app.awaitLine(OrderApplication.AT_WORK);
      fleet.server("worker-1", "--rate", "100");
      fleet.server("worker-2", "--rate", "100");
      Await.holds("v2 is proved", () -> InProcessMember.isReady(overseer, 2, 3));
      InProcessOperator.done(overseer.orders().rotate(v(1), v(2)));
      Await.holds("records are moved", () -> overseer.carrying().containsKey(v(2)), app::said);
    }
    kill.run();
    app.awaitLine("the store does not answer");
    restart.run();
    try (InProcessOperator overseer = fleet.overseer()) {
      Await.holds(
          "the rotation is completed",
          () -> overseer.keystore().rotation() instanceof Completed,
          () -> overseer.keystore().rotation().toString());
      Document report = ProcessFleet.reportOf(app);
      assertEquals(0, report.number("failed_reads"), app::said);
      assertEquals(0, report.number("wrong_reads"), app::said);
      long all = overseer.carrying().getOrDefault(v(2), 0L);
      assertEquals(Map.of(v(2), all), overseer.carrying());
      assertTrue(all >= RECORDS + report.number("added"), app::said);
      assertInstanceOf(AuditVerdict.Intact.class, overseer.audit());
    }
  }
}
