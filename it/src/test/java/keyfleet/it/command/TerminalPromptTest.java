package keyfleet.it.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import keyfleet.it.architecture.Repository;
import keyfleet.it.process.Shell;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Commands that ask a person at a real terminal.
class TerminalPromptTest {
  private static final String PYTHON = "KEYFLEET_TEST_PYTHON";
  private static final String PROMPT = "'Value of db (not shown): '";

  @TempDir Path folder = Path.of("");
  private Shell shell = new Shell(folder, Map.of());
  private String keyfleet = "";

  @BeforeEach
  void announceVersion() {
    shell =
        new Shell(
            folder,
            Map.of("KEYFLEET_STORE", "sqlite:fleet.db", "KEYFLEET_KEK_V1", "c0ffee01".repeat(8)));
    keyfleet = Repository.root().resolve("keyfleet").toString();
    assertEquals(0, shell.run(keyfleet + " kek announce --version=1").exit());
  }

  private Shell.Result typeAtTerminal(String prompt, String line, String command) {
    String python = System.getenv().getOrDefault(PYTHON, "");
    assumeTrue(!python.isEmpty(), PYTHON + " is not set: ./dev test makes one");
    Path script = Repository.root().resolve("it/type_at_terminal.py");
    return shell.run("%s %s %s '%s' %s".formatted(python, script, prompt, line, command));
  }

  @Test
  void typedSecret_isStoredAndNotShown() {
    Shell.Result put = typeAtTerminal(PROMPT, "hünter2", keyfleet + " secret put db");
    assertEquals(0, put.exit(), put.toString());
    assertEquals(List.of("Value of db (not shown): ", "stored db, sealed under v1"), put.out());
    assertFalse(put.toString().contains("nter2"), put.toString());
    assertEquals(List.of("hünter2"), shell.run(keyfleet + " secret get db").out());
    assertEquals(0, shell.run("printf piped | %s secret put db".formatted(keyfleet)).exit());
    assertEquals(List.of("piped"), shell.run(keyfleet + " secret get db").out());
  }

  @Test
  void emptyLine_storesNothing() {
    Shell.Result put = typeAtTerminal(PROMPT, "", keyfleet + " secret put db");
    assertEquals(1, put.exit(), put.toString());
    assertEquals(6, shell.run(keyfleet + " secret get db").exit());
  }

  /// The terminal would show the value, because Java can turn the echo off only for a terminal that
  /// it also writes to.
  @Test
  void outputElsewhere_isRefused() {
    Shell.Result put =
        typeAtTerminal(
            "Try:", "", "sh -c '%s secret put db -o json >out.json'".formatted(keyfleet));
    assertEquals(1, put.exit(), put.toString());
    assertEquals(
        "keyfleet: the terminal would show what you type, because standard output is not the"
            + " terminal",
        put.out().getFirst());
  }
}
