package keyfleet.it.process;

import static keyfleet.it.process.InProcessOperator.v;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import keyfleet.cli.AotTraining;
import keyfleet.control.Failpoints;
import keyfleet.control.audit.AuditActor;
import keyfleet.control.audit.AuditContext;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.Timings;
import keyfleet.member.LocalProcess;
import keyfleet.member.Member;
import keyfleet.member.PlainFields;
import keyfleet.member.ProcessSettings;
import keyfleet.server.EventLog;
import keyfleet.server.RateLimit;
import keyfleet.server.Role;
import keyfleet.server.Server;

/// Runs once, in one process, what servers, applications and commands of the tests do, so that the
/// JVM can archive their classes. The result does not matter.
final class ArchiveTraining {
  private static final Timings TIMINGS =
      new Timings(
          Duration.ofMillis(100),
          Duration.ofMillis(600),
          Duration.ofMillis(800),
          Duration.ofMillis(1000),
          Duration.ofMillis(200));

  private ArchiveTraining() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    Map<String, String> environment = System.getenv();
    try (InProcessOperator operator = new InProcessOperator(environment, Failpoints.NONE);
        TestWiring wiring = new TestWiring(environment)) {
      operator.announce(1, TIMINGS);
      operator.createTable();
      try (Member app = InProcessMember.join(wiring, "app");
          Server server = server(wiring)) {
        Await.until(
            "a record is stored", () -> InProcessMember.tryInsert(app, OrderApplication.id(0)));
        operator.announce(2, TIMINGS);
        server.start();
        Await.until("v2 is proved", () -> InProcessMember.isReady(operator, 2, 2));
        Await.until(
            "the rotation is started",
            () -> !(operator.orders().rotate(v(1), v(2)) instanceof Refused));
        Await.until(
            "the rotation is completed", () -> operator.keystore().rotation() instanceof Completed);
        app.records(TestWiring.ORDERS.name())
            .find(OrderApplication.id(0))
            .ifPresent(PlainFields::close);
      }
    }
    AotTraining.main(new String[] {"store"});
  }

  private static Server server(TestWiring wiring) {
    ProcessSettings process =
        ProcessSettings.of(Map.of("KEYFLEET_INSTANCE", "worker"), LocalProcess.current());
    return new Server(
        new Server.Settings(
            TestWiring.KEYRING,
            EnumSet.of(Role.WORKER),
            process,
            "0.1.0",
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            RateLimit.UNLIMITED),
        new Server.Resources(
            wiring.stores().kv(),
            wiring.stores().storeChecks(),
            wiring.stores(),
            wiring.providers(),
            List.of()),
        new AuditContext(new AuditActor("it", "here", "worker"), InstantSource.system()),
        new EventLog(System.err, EventLog.Format.TEXT, InstantSource.system(), "worker", "main"),
        Failpoints.NONE);
  }
}
