package keyfleet.cli.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import keyfleet.cli.CliFleet;
import keyfleet.cli.InMemoryBackend;
import keyfleet.cli.output.CommandException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Where the folder of the default store is, and which commands create it.
class DataFolderTest {
  @TempDir Path folder = Path.of("");

  private final CliFleet fleet = new CliFleet(new InMemoryBackend());

  @AfterEach
  void close() {
    fleet.close();
  }

  private Path missingFolder() {
    Path home = folder.resolve("a/keyfleet");
    fleet.environment.remove("KEYFLEET_STORE");
    fleet.environment.put("KEYFLEET_HOME", home.toString());
    return home;
  }

  @Test
  void folder_comesFromKeyfleetHome_elseXdg_elseHome() {
    Map<String, String> all = Map.of("KEYFLEET_HOME", "/k", "XDG_DATA_HOME", "/x", "HOME", "/h");
    assertEquals("sqlite:/k/keyfleet.db", DataFolder.of(all).storeUrl());
    assertEquals(
        "sqlite:/x/keyfleet/keyfleet.db",
        DataFolder.of(Map.of("XDG_DATA_HOME", "/x", "HOME", "/h", "KEYFLEET_HOME", "")).storeUrl());
    assertEquals(
        "sqlite:/h/.local/share/keyfleet/keyfleet.db",
        DataFolder.of(Map.of("HOME", "/h")).storeUrl());
    assertThrows(CommandException.class, () -> DataFolder.of(Map.of()));
  }

  @Test
  void announce_createsItForItsOwnerOnly() throws IOException {
    Path home = missingFolder();
    fleet.announce(1);
    assertEquals("rwx------", modeOf(home));
    assertEquals("rwx------", modeOf(folder.resolve("a")));
  }

  @Test
  void secretPut_doesNotCreateIt() {
    Path home = missingFolder();
    fleet.runWith("v", "secret", "put", "x").expectExit(1);
    assertFalse(Files.exists(home), "a folder was created");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kek list",
        "kek status",
        "kek verify --target=1",
        "secret list",
        "kek rotate --from-version=1 --to-version=2",
        "audit verify"
      })
  void readingCommand_createsNothingAndNamesTheOneThatDoes(String command) {
    Path home = missingFolder();
    String err = fleet.run(command.split(" ")).expectExit(1).err();
    assertEquals(
        "keyfleet: there is no store yet: folder %s does not exist%nTry: keyfleet kek announce --version=1%n"
            .formatted(home),
        err);
    assertFalse(Files.exists(home.getParent()), "something was created");
  }

  @Test
  void namedStore_needsNoFolder() {
    Path home = missingFolder();
    fleet
        .run("kek", "announce", "--version=1", "--store=sqlite:" + folder.resolve("x.db"))
        .expectExit(0);
    assertFalse(Files.exists(home), "the default folder was created for another store");
  }

  @Test
  void folderThatExists_keepsItsMode() throws IOException {
    Path home = missingFolder();
    Files.createDirectories(home);
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxr-x---"));
    fleet.announce(1);
    assertEquals("rwxr-x---", modeOf(home));
  }

  @Test
  void uncreatableFolder_isReportedInOneSentence() throws IOException {
    Path home = missingFolder();
    Files.writeString(folder.resolve("a"), "in the way");
    String err = fleet.run("kek", "announce", "--version=1").expectExit(1).err();
    assertEquals(
        "keyfleet: the data folder %s cannot be created%nTry: name another folder with KEYFLEET_HOME, or a store with --store%n"
            .formatted(home),
        err);
  }

  private static String modeOf(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
