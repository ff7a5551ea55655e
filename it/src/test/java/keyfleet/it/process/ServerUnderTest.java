package keyfleet.it.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import keyfleet.control.audit.AuditActor;
import keyfleet.control.audit.AuditContext;
import keyfleet.member.ProcessSettings;
import keyfleet.server.EventLog;
import keyfleet.server.RateLimit;
import keyfleet.server.Role;
import keyfleet.server.Server;

/// `keyfleet server` with failpoints: the same server, wired as the command wires it, in a process
/// that a test can halt. It starts and stops the server at each pair of input lines, and ends with
/// its input.
public final class ServerUnderTest {
  public static final String READY = "waiting for input";
  public static final String START = "start";
  public static final String STOP = "stop";

  private ServerUnderTest() {}

  public static void main(String[] args) throws IOException {
    ProcessSettings process = ProcessSettings.ofThisProcess();
    EventLog log =
        new EventLog(
            System.err,
            EventLog.Format.TEXT,
            InstantSource.system(),
            process.instance(),
            TestWiring.KEYRING.value());
    AuditContext author =
        new AuditContext(
            new AuditActor("it", process.host().name(), process.instance()),
            InstantSource.system());
    Server.Settings settings =
        new Server.Settings(
            TestWiring.KEYRING,
            EnumSet.of(Role.WORKER),
            process,
            "0.1.0",
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            new RateLimit(Integer.getInteger("keyfleet.it.rate", 0)));
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    try (TestWiring wiring = new TestWiring(System.getenv())) {
      Server.Resources resources =
          new Server.Resources(
              wiring.stores().kv(),
              wiring.stores().storeChecks(),
              wiring.stores(),
              wiring.providers(),
              List.of());
      System.out.println(READY);
      while (input.readLine() != null) {
        try (Server server =
            new Server(settings, resources, author, log, HaltPoint.ofThisProcess())) {
          server.start();
          var _ = input.readLine();
        }
      }
    }
    Runtime.getRuntime().halt(0);
  }
}
