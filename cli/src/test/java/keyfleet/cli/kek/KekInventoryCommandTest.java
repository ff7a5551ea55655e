package keyfleet.cli.kek;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Function;
import java.util.stream.IntStream;
import keyfleet.cli.CliFleet;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.InMemoryBackend;
import keyfleet.cli.SqliteBackend;
import keyfleet.cli.config.EngineFactory;
import keyfleet.store.StoreException;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Finds envelopes that an application keeps where no rotation moves them.
class KekInventoryCommandTest {
  private static final String SKIPPED =
      """
      not scanned: sqlite: Keyfleet's own tables: they contain no records
      not scanned: sqlite: other files: not named by the URL
      """;

  @TempDir Path folder = Path.of("");
  private CliFleet fleet = new CliFleet(new InMemoryBackend());

  @BeforeEach
  void announceVersionAndPutSecret() {
    SqliteBackend backend = new SqliteBackend(folder);
    fleet = new CliFleet(backend);
    fleet.announce(1);
    fleet.runWith("hunter2", "secret", "put", "db").expectExit(0);
  }

  private void sql(String file, String... statements) {
    try (Connection application =
            DriverManager.getConnection("jdbc:sqlite:" + folder.resolve(file));
        Statement run = application.createStatement()) {
      for (String statement : statements) {
        run.execute(statement);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Copies sealed secrets into a table of the application.
  private void copySecrets() {
    sql(
        "fleet.db",
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, note BLOB, copy BLOB)",
        "INSERT INTO orders (note) SELECT value FROM keyfleet_secrets",
        "INSERT INTO orders (note) SELECT value FROM keyfleet_secrets",
        "INSERT INTO orders (copy) SELECT substr(value, 1, 50) FROM keyfleet_secrets");
  }

  @Test
  void nothingUndeclared_isReportedWithWhatWasSkipped() {
    CommandResult result = fleet.run("kek", "inventory").expectExit(0);
    assertEquals(
        """
        COLLECTION               VERSION  BELONGING  CARRYING
        sqlite keyfleet_secrets  v1       1          1
        """,
        result.out());
    assertEquals(SKIPPED, result.err());
  }

  private String queryVersions() {
    try (Connection application =
            DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("fleet.db"));
        Statement run = application.createStatement();
        ResultSet rows =
            run.executeQuery(
                "SELECT group_concat(name || '=' || coalesce(kek_version, '-'), ' ' ORDER BY name)"
                    + " FROM keyfleet_secrets")) {
      return rows.next() ? String.valueOf(rows.getString(1)) : "nothing";
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private void rotate(int from, int to) {
    fleet.addKeys(to);
    fleet.announce(to);
    fleet.start("worker-1", "worker", IntStream.rangeClosed(1, to).toArray());
    fleet
        .run("kek", "rotate", "--from-version=" + from, "--to-version=" + to, "--wait")
        .expectExit(0);
  }

  @Test
  void wrongVersionField_isShownAndCorrectedByTheNextRotation() {
    fleet.runWith("x", "secret", "put", "web").expectExit(0);
    assertEquals("db=1 web=1", queryVersions());
    sql("fleet.db", "UPDATE keyfleet_secrets SET kek_version = 7 WHERE name = 'db'");
    CommandResult result = fleet.run("kek", "inventory").expectExit(0);
    assertEquals(
        """
        COLLECTION               VERSION  BELONGING  CARRYING
        sqlite keyfleet_secrets  v1       2          2
        """,
        result.out());
    assertEquals(
        SKIPPED
            + "1 records of sqlite keyfleet_secrets have another version in kek_version than in"
            + " their envelopes; the next rotation corrects it\n",
        result.err());
    assertTrue(
        fleet
            .run("kek", "inventory", "-o", "json")
            .expectExit(0)
            .out()
            .contains("\"unreadable\":0,\"mismatched\":1,\"other_keystore\":0}"));
    rotate(1, 2);
    assertEquals("db=2 web=2", queryVersions());
    assertEquals(SKIPPED, fleet.run("kek", "inventory").expectExit(0).err());
    fleet.runWith("y", "secret", "put", "db").expectExit(0);
    assertEquals("db=2 web=2", queryVersions());
  }

  /// As a build left it that knew no version field.
  @Test
  void secretsWithoutVersionField_areUsableAndGainOne() {
    sql(
        "fleet.db",
        "DROP INDEX keyfleet_secrets_kek_version",
        "ALTER TABLE keyfleet_secrets DROP COLUMN kek_version",
        """
        UPDATE keyfleet_entries SET value = CAST(
          replace(CAST(value AS TEXT), '"version_field":"kek_version"', '"version_field":""')
          AS BLOB) WHERE bucket = 'collections'
        """);
    assertEquals("hunter2", fleet.run("secret", "get", "db").expectExit(0).out());
    assertEquals("NAME  VERSION\ndb    v1\n", fleet.run("secret", "list").expectExit(0).out());
    assertEquals(SKIPPED, fleet.run("kek", "inventory").expectExit(0).err());
    fleet.runWith("x", "secret", "put", "web").expectExit(0);
    assertEquals("db=- web=1", queryVersions());
    fleet
        .run("kek", "inventory")
        .expectExit(0)
        .expectErrorPart("1 records of sqlite keyfleet_secrets have another version");
    rotate(1, 2);
    assertEquals("db=2 web=2", queryVersions());
    fleet.run("secret", "delete", "db").expectExit(0);
  }

  @Test
  void undeclaredEnvelopes_areShownWithARemedy() {
    copySecrets();
    CommandResult result = fleet.run("kek", "inventory").expectExit(2);
    assertEquals(
        """
        COLLECTION               VERSION  BELONGING  CARRYING
        sqlite keyfleet_secrets  v1       1          1

        UNDECLARED     FIELD  FORM   VERSION     VALUES
        sqlite orders  note   bytes  v1          2
        sqlite orders  copy   bytes  unreadable  1
        """,
        result.out());
    assertEquals(
        SKIPPED
            + """
            keyfleet: 2 fields hold envelopes but are not declared, so no rotation moves them
            Try: declare the collection, its id and its sealed fields in keyfleet.yaml or in the process that seals; convert base64 values to bytes first
            """,
        result.err());
  }

  @Test
  void json_isOneObject() {
    copySecrets();
    assertEquals(
        "{\"keyring\":\"main\",\"collections\":[{\"engine\":\"sqlite\",\"collection\":\"keyfleet_secrets\","
            + "\"versions\":[{\"version\":1,\"belonging\":1,\"carrying\":1}],\"unreadable\":0,\"mismatched\":0,\"other_keystore\":0}],"
            + "\"not_counted\":[],\"unusable\":[],\"undeclared\":[{\"engine\":\"sqlite\",\"collection\":\"orders\","
            + "\"field\":\"note\",\"form\":\"bytes\",\"versions\":[{\"version\":1,\"values\":2}],"
            + "\"unreadable\":0},{\"engine\":\"sqlite\",\"collection\":\"orders\",\"field\":\"copy\","
            + "\"form\":\"bytes\",\"versions\":[],\"unreadable\":1}],\"not_scanned\":[{\"engine\":\"sqlite\",\"what\":\"Keyfleet's"
            + " own tables\",\"reason\":\"they contain no"
            + " records\",\"cause\":\"rule\"},{\"engine\":\"sqlite\",\"what\":\"other"
            + " files\",\"reason\":\"not named by the URL\",\"cause\":\"rule\"}]}\n",
        fleet.run("kek", "inventory", "-o", "json").expectExit(2).out());
  }

  /// A collection of another keyring counts as declared.
  @Test
  void otherKeyringsCollection_isDeclared() {
    fleet.environment.put("KEYFLEET_KEK_PAY_V1", CliFleet.key(5));
    fleet.run("kek", "announce", "--version=1", "--keyring=pay").expectExit(0);
    CommandResult result = fleet.run("kek", "inventory", "--keyring=pay").expectExit(0);
    assertFalse(result.out().contains("keyfleet_secrets"), result.out());
  }

  @Test
  void lostRegistration_makesTheSecretsUndeclared() {
    sql("fleet.db", "DELETE FROM keyfleet_entries WHERE bucket = 'collections'");
    CommandResult result = fleet.run("kek", "inventory").expectExit(2);
    assertTrue(
        result.out().contains("sqlite keyfleet_secrets  value  bytes  v1       1\n"), result.out());
  }

  @Test
  void sample_isReported() {
    copySecrets();
    CommandResult result = fleet.run("kek", "inventory", "--sample=1").expectExit(2);
    assertTrue(result.out().contains("sqlite orders  note   bytes  v1       1\n"), result.out());
    assertTrue(
        result
            .err()
            .contains("not scanned: sqlite: orders, all but 1 rows: only a sample was requested\n"),
        result.err());
    assertEquals(
        "keyfleet: --sample=0 is not a number of rows; use 1 to 999999999\nTry: keyfleet kek inventory --sample=1000\n",
        fleet.run("kek", "inventory", "--sample=0").expectExit(1).err());
  }

  /// A table of the same name in another store is not the registered one.
  @Test
  void storeAndRecords_areBothScanned() {
    copySecrets();
    sql("app.db", "CREATE TABLE orders (id TEXT PRIMARY KEY, note BLOB)");
    Function<StoreUrl, Engine> real = EngineFactory::open;
    fleet.openEngine = real;
    fleet.environment.put("KEYFLEET_RECORDS", "sqlite:" + folder.resolve("app.db"));
    CommandResult result = fleet.run("kek", "inventory").expectExit(2);
    assertTrue(
        result.out().contains("sqlite orders            note   bytes  v1          2\n"),
        result.out());
    assertTrue(
        result.out().contains("sqlite keyfleet_secrets  value  bytes  v1          1\n"),
        result.out());
    assertTrue(result.err().startsWith("not counted: sqlite keyfleet_secrets: "), result.err());
  }

  @Test
  void recordsOutOfReach_areNotCountedAndNotScanned() {
    Function<StoreUrl, Engine> known = fleet.openEngine;
    fleet.openEngine =
        url -> {
          if (url.scheme().equals("postgresql")) {
            throw new StoreException("h/d does not answer");
          }
          return known.apply(url);
        };
    fleet.environment.put("KEYFLEET_RECORDS", "postgresql://h/d");
    CommandResult result = fleet.run("kek", "inventory").expectExit(2);
    assertTrue(
        result.err().contains("not scanned: postgresql: all of it: h/d does not answer\n"),
        result.err());
    assertTrue(
        result
            .err()
            .endsWith(
                """
                keyfleet: some places could not be searched
                Try: name with --records the same store with a user that may read everything
                """),
        result.err());
    fleet.environment.put("KEYFLEET_RECORDS", "nats://h");
    fleet
        .run("kek", "inventory")
        .expectExit(2)
        .expectErrorPart("not scanned: nats: all of it: NATS stores no records\n");
  }
}
