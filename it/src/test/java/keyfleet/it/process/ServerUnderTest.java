package keyfleet.it.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.InstantSource;
import keyfleet.control.audit.AuditActor;
import keyfleet.control.audit.AuditContext;
import keyfleet.member.ProcessSettings;
import keyfleet.server.EventLog;
import keyfleet.server.RateLimit;
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
        TestWiring.serverSettings(
            process, new RateLimit(Integer.getInteger("keyfleet.it.rate", 0)));
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    try (TestWiring wiring = new TestWiring(System.getenv())) {
      Server.Resources resources = wiring.serverResources();
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
