package keyfleet.it;

import static keyfleet.it.Overseer.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.it.Fleet.Supply;
import keyfleet.it.Site.Kind;
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
        Fleet fleet = new Fleet(folder, new Site.Plain(server.url("postgres", "")), Supply.ENV)) {
      survives(fleet, server::kill, server::start);
    }
  }

  @Test
  void natsKilledInMidRotation_isFoundAgain() {
    Site site = Kind.NATS.open(folder);
    NatsTestServer server = ((Site.Messages) site).server();
    try (Fleet fleet = new Fleet(folder, site, Supply.ENV)) {
      survives(fleet, server::kill, server::restart);
    }
  }

  private static void survives(Fleet fleet, Runnable kill, Runnable restart) {
    List.of(Fleet.OPERATOR, "loader", "app", "worker-1", "worker-2")
        .forEach(it -> fleet.give(it, 1, 2));
    FleetProcess app;
    try (Overseer overseer = fleet.overseer()) {
      overseer.announce(1, Fleet.timings());
      fleet.report("loader", "load", "" + RECORDS);
      overseer.announce(2, Fleet.timings());
      app = fleet.clerk("app", "work", "0", "1", "" + RECORDS);
      app.awaitLine(Clerk.AT_WORK);
      fleet.server("worker-1", "--rate", "100");
      fleet.server("worker-2", "--rate", "100");
      Until.holds("v2 is proved", () -> Bystander.isReady(overseer, 2, 3));
      Overseer.done(overseer.orders().rotate(v(1), v(2)));
      Until.holds("records are moved", () -> overseer.carrying().containsKey(v(2)), app::said);
    }
    kill.run();
    app.awaitLine("the store does not answer");
    restart.run();
    try (Overseer overseer = fleet.overseer()) {
      Until.holds(
          "the rotation is completed",
          () -> overseer.keystore().rotation() instanceof Completed,
          () -> overseer.keystore().rotation().toString());
      Document report = Fleet.reportOf(app);
      assertEquals(0, report.number("failed_reads"), app::said);
      assertEquals(0, report.number("wrong_reads"), app::said);
      long all = overseer.carrying().getOrDefault(v(2), 0L);
      assertEquals(Map.of(v(2), all), overseer.carrying());
      assertTrue(all >= RECORDS + report.number("added"), app::said);
      assertInstanceOf(AuditVerdict.Intact.class, overseer.audit());
    }
  }
}
