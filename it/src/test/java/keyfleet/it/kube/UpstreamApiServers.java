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
  private int asked;

  UpstreamApiServers(Path folder, Path encryption) {
    this.process =
        TestProcess.run(
            folder,
            "judge",
            Map.of(),
            List.of(ExternalProgram.UPSTREAM.path(), encryption.toString()));
  }

  /// It must be done.
  String done(String... order) {
    String answer = answer(order);
    assertEquals("ok", head(answer), () -> String.join(" ", order) + ": " + answer);
    return tail(answer);
  }

  /// It must not be.
  String refused(String... order) {
    String answer = answer(order);
    assertEquals("no", head(answer), () -> String.join(" ", order) + ": " + answer);
    return tail(answer);
  }

  boolean isDone(String... order) {
    return head(answer(order)).equals("ok");
  }

  /// Whatever it says: `ok` or `no`, and the rest.
  String answer(String... order) {
    int before = asked++;
    process.tell(String.join(" ", order));
    Await.holds(
        "the judge answers: " + String.join(" ", order),
        () -> process.out().size() > before,
        process::said);
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
