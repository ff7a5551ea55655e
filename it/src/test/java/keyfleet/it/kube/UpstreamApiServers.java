package keyfleet.it.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import keyfleet.it.process.Await;
import keyfleet.it.process.ExternalProgram;
import keyfleet.it.process.TestProcess;

/// API servers made of Kubernetes' own code, in a process that executes commands. The commands are
/// described in `it/upstream/main.go`.
final class UpstreamApiServers implements AutoCloseable {
  private final TestProcess process;
  private int commandCount;

  UpstreamApiServers(Path folder, Path encryption) {
    this.process =
        TestProcess.startCommand(
            folder,
            "upstream",
            Map.of(),
            List.of(ExternalProgram.UPSTREAM.path(), encryption.toString()));
  }

  /// Runs a command that must succeed, and returns its answer.
  String run(String... command) {
    String answer = send(command);
    assertEquals("ok", head(answer), () -> String.join(" ", command) + ": " + answer);
    return tail(answer);
  }

  /// Runs a command that must fail, and returns the error.
  String runRefused(String... command) {
    String answer = send(command);
    assertEquals("no", head(answer), () -> String.join(" ", command) + ": " + answer);
    return tail(answer);
  }

  /// Returns whether the command succeeded.
  boolean tryRun(String... command) {
    return head(send(command)).equals("ok");
  }

  /// Sends a command; returns `ok` or `no`, followed by the answer.
  String send(String... command) {
    int before = commandCount++;
    process.writeLine(String.join(" ", command));
    Await.until(
        "upstream answers: " + String.join(" ", command),
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
