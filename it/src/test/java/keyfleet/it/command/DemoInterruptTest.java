package keyfleet.it.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
  /// Runs the demonstration on a terminal, and presses Ctrl-C there once it has printed a text.
  private static final String TERMINAL =
      """
      import os, pty, signal, sys
      pid, terminal = pty.fork()
      if pid == 0:
          # As in a terminal's shell; a process in the background inherits that it is ignored.
          signal.signal(signal.SIGINT, signal.SIG_DFL)
          os.execv(sys.argv[1], [sys.argv[1], "demo"])
      seen = b""
      pressed = False
      while True:
          try:
              part = os.read(terminal, 4096)
          except OSError:  # the other end is closed
              break
          if not part:
              break
          seen += part
          if not pressed and sys.argv[2].encode() in seen:
              pressed = True
              os.write(terminal, b"\\x03")
      code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
      print(seen.decode().replace("\\r", ""), end="")
      print("exit", code)
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
    Files.writeString(folder.resolve("terminal.py"), TERMINAL);

    Shell.Result result = shell.run("python3 terminal.py %s '%s'".formatted(keyfleet, lastLine));

    List<String> out = result.out();
    assertEquals(List.of(), result.err());
    assertTrue(out.stream().anyMatch(it -> it.contains(lastLine)), out.toString());
    assertEquals(
        List.of("demo was stopped; its processes and files are removed", "exit 130"),
        out.subList(out.size() - 2, out.size()),
        out.toString());
    assertTrue(
        out.stream().noneMatch(it -> it.matches(".*(FAIL|Exception|keyfleet: ).*")),
        out.toString());
    assertEquals(List.of(), shell.run("ls " + temporary).out());
    assertEquals(
        List.of(),
        shell.run("ls -l /proc/[0-9]*/cwd 2>/dev/null | grep -F " + temporary).out(),
        "processes that stayed behind");
  }
}
