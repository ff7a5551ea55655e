package keyfleet.it.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import keyfleet.it.process.Await;
import keyfleet.it.process.ExternalProgram;
import keyfleet.it.process.TestProcess;

/// Kubernetes' own API-server code in a process that does what it is told. Its orders are in
/// `it/upstream/main.go`.
final class UpstreamApiServers implements AutoCloseable {
  private final TestProcess process;
  private int commandCount;

  UpstreamApiServers(Path folder, Path encryption) {
    this.process =
        TestProcess.startCommand(
            folder,
            "judge",
            Map.of(),
            List.of(ExternalProgram.UPSTREAM.path(), encryption.toString()));
  }

  /// It must be done.
  String run(String... command) {
    String answer = send(command);
    assertEquals("ok", head(answer), () -> String.join(" ", command) + ": " + answer);
    return tail(answer);
  }

  /// It must not be.
  String runRefused(String... command) {
    String answer = send(command);
    assertEquals("no", head(answer), () -> String.join(" ", command) + ": " + answer);
    return tail(answer);
  }

  boolean succeeds(String... command) {
    return head(send(command)).equals("ok");
  }

  /// Whatever it says: `ok` or `no`, and the rest.
  String send(String... command) {
    int before = commandCount++;
    process.writeLine(String.join(" ", command));
    Await.until(
        "the judge answers: " + String.join(" ", command),
        () -> process.out().size() > before,
        process::output);
    return process.out().get(before);
  }

  private static String head(String answer) {
    return answer.split(" ", 2)[0];
  }

  private static String tail(String answer) {
    return answer.contains(" ") ? answer.split(" ", 2)[1] : "";
  }

  @Override
  public void close() {
    process.close();
  }
}
