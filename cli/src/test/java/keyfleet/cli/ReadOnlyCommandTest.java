package keyfleet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import keyfleet.cli.config.EngineFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Commands that only look, on a place without a store and on a store without heartbeats; and store
/// URLs that are refused on the command line.
class ReadOnlyCommandTest {
  @TempDir Path folder = Path.of("");
  private CliFleet fleet;

  @BeforeEach
  void setUp() {
    fleet = new CliFleet(new SqliteBackend(folder));
    fleet.openEngine = EngineFactory::open;
  }

  @AfterEach
  void tearDown() {
    fleet.close();
  }

  private List<String> names() {
    File[] found = folder.toFile().listFiles();
    return List.of(found == null ? new File[0] : found).stream()
        .map(File::getName)
        .sorted()
        .toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kek list",
        "kek verify --target=1",
        "kek status",
        "kek watch",
        "kek inventory",
        "audit verify",
        "audit list",
        "secret list",
        "secret get name",
        "doctor"
      })
  void mistypedStore_staysUntouched(String command) {
    Path typo = folder.resolve("typo.db");
    fleet
        .runLine(command, "--store=sqlite:" + typo)
        .expectExit(1)
        .expectErrorStart("keyfleet: there is no Keyfleet store at " + typo + "\nTry: ");
    assertEquals(List.of(), names());
  }

  @Test
  void readers_addNoFileToAStore() {
    fleet.announce(1);
    List<String> before = names();
    fleet.run("kek", "list").expectExit(0);
    fleet.run("kek", "verify", "--target=1").expectExit(2);
    fleet.run("kek", "inventory").expectExit(0);
    fleet.run("secret", "list").expectExit(0);
    fleet.run("audit", "verify").expectExit(0);
    assertEquals(before, names());
  }

  @Test
  void emptyStore_isNotTheDefaultStore() {
    fleet
        .run("kek", "list", "--store=")
        .expectExit(1)
        .expectErrorStart("keyfleet: --store: the store URL is empty\nTry: ");
  }

  @Test
  void passwordInAUrlOnTheCommandLine_isRefused() {
    for (String flag : List.of("--store", "--records")) {
      fleet
          .run("secret", "list", flag + "=postgres://ann:c0ffee@db/fleet")
          .expectExit(1)
          .expectErrorStart("keyfleet: " + flag + ": the URL contains a password");
    }
  }
}
