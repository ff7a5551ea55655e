package keyfleet.cli.backup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import keyfleet.cli.CliFleet;
import keyfleet.cli.SqliteBackend;
import keyfleet.cli.config.EngineFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `backup FILE` on a SQLite store and on others.
class BackupCommandTest {
  @TempDir Path folder = Path.of("");
  private CliFleet fleet;
  private Path copy = Path.of("");

  @BeforeEach
  void setUp() {
    fleet = new CliFleet(new SqliteBackend(folder));
    fleet.openEngine = EngineFactory::open;
    copy = folder.resolve("copy.db");
  }

  @AfterEach
  void tearDown() {
    fleet.close();
  }

  @Test
  void copy_isTheStoreAsItWas_andRestoresIt() throws IOException {
    fleet.announce(1);
    fleet.runWith("before", "secret", "put", "a").expectExit(0);
    String written = fleet.run("backup", copy.toString()).expectExit(0).err();
    assertEquals("wrote %s, %d bytes\n".formatted(copy, Files.size(copy)), written);
    fleet.runWith("after", "secret", "put", "a").expectExit(0);
    String store = "--store=sqlite:" + copy;
    assertEquals("before", fleet.run("secret", "get", "a", store).expectExit(0).out());
    assertEquals("after", fleet.run("secret", "get", "a").expectExit(0).out());
    fleet.run("audit", "verify", store).expectExit(0);
  }

  @Test
  void secondBackupToOneFile_isRefused_andTheRemedyWorks() {
    fleet.announce(1);
    fleet.run("backup", copy.toString(), "-o", "json").expectExit(0);
    fleet
        .run("backup", copy.toString())
        .expectExit(1)
        .expectErrorStart(
            "keyfleet: %s exists, and a backup never replaces a file\nTry: keyfleet backup %s.2\n"
                .formatted(copy, copy));
    fleet.run("backup", copy + ".2").expectExit(0);
  }

  @Test
  void missingStore_isNotCreated() {
    fleet
        .run("backup", copy.toString())
        .expectExit(1)
        .expectErrorStart("keyfleet: there is no Keyfleet store at ");
    assertTrue(Files.notExists(copy), "a copy of nothing");
    fleet.run("backup", "").expectExit(1).expectErrorPart("is empty");
  }

  @ParameterizedTest
  @CsvSource({
    "postgresql://ann@db:5433/fleet?sslmode=require, pg_dump --format=custom --file=x --dbname=postgresql://ann@db:5433/fleet",
    "mongodb://ann@db/fleet, mongodump --archive=x --uri=mongodb://ann@db/fleet",
    "nats://ann@bus:4222, nats --server=nats://ann@bus:4222 account backup x",
  })
  void databaseServers_haveToolsOfTheirOwn(String url, String tool) {
    fleet
        .run("backup", "x", "--store=" + url)
        .expectExit(1)
        .expectErrorStart("keyfleet: keyfleet backup copies SQLite stores; ");
    assertTrue(
        fleet.run("backup", "x", "--store=" + url).err().endsWith("\nTry: " + tool + "\n"),
        "the remedy for " + url);
  }
}
