package keyfleet.it.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import keyfleet.it.architecture.Repository;
import keyfleet.it.process.Shell;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Ctrl-C ends `keyfleet demo` at once, without a claim that seems to fail, and nothing stays
/// behind. As on a terminal, the signal reaches each process of the demonstration.
@Timeout(300)
class DemoInterruptTest {
  /// Job control gives the demonstration a process group of its own, and lets it receive SIGINT.
  private static final String SCRIPT =
      """
      set -m
      KEYFLEET demo >out 2>err &
      demo=$!
      tries=0
      until grep -qF 'LINE' out || [ $tries -gt 600 ]; do sleep 0.1; tries=$((tries + 1)); done
      kill -INT -- -$demo
      wait $demo
      """;

  @TempDir Path folder = Path.of("");

  @ParameterizedTest
  @ValueSource(strings = {"$ keyfleet kek generate", "--roles scheduler", "[ok]"})
  void interrupt_isClean(String lastLine) throws IOException {
    Path temporary = Files.createDirectory(folder.resolve("tmp"));
    String keyfleet = Repository.root().resolve("keyfleet").toString();
    Shell shell = new Shell(folder, Map.of("KEYFLEET_JAVA_OPTS", "-Djava.io.tmpdir=" + temporary));
    shell.run(keyfleet + " --version"); // builds if necessary
    Files.writeString(folder.resolve("keyfleet.yaml"), "store: [not, a, url]\n");

    Shell.Result result = shell.run(SCRIPT.replace("KEYFLEET", keyfleet).replace("LINE", lastLine));

    List<String> out = Files.readAllLines(folder.resolve("out"));
    List<String> err = Files.readAllLines(folder.resolve("err"));
    assertEquals(130, result.exit(), out + " " + err);
    assertTrue(out.stream().anyMatch(it -> it.contains(lastLine)), out + " " + err);
    assertFalse(out.stream().anyMatch(it -> it.contains("FAIL")), out.toString());
    assertEquals(
        List.of("", "demo was stopped; its processes and files are removed"), err, out.toString());
    assertEquals(List.of(), shell.run("ls " + temporary).out());
    assertEquals(
        List.of(),
        shell.run("ls -l /proc/[0-9]*/cwd 2>/dev/null | grep -F " + temporary).out(),
        "processes that stayed behind");
  }
}
