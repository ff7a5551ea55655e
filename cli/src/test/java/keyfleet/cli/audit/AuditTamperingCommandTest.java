package keyfleet.cli.audit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import keyfleet.cli.CliFleet;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.InMemoryBackend;
import keyfleet.cli.SqliteBackend;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An attacker changes the audit with SQL; `audit verify` names the entry.
class AuditTamperingCommandTest {
  private static final int ENTRIES = 5;
  private static final String AUDIT = "bucket = 'audit' AND key = 'main.%016d'";

  @TempDir Path folder = Path.of("");
  private CliFleet fleet = new CliFleet(new InMemoryBackend());

  @BeforeEach
  void announceVersions() {
    fleet = new CliFleet(new SqliteBackend(folder));
    for (int i = 1; i <= ENTRIES; i++) {
      fleet.addKeys(i);
      fleet.run("kek", "announce", "--version=" + i).expectExit(0);
    }
    sql("CREATE TABLE kept AS SELECT * FROM keyfleet_entries");
  }

  /// Returns the number of changed rows.
  private int sql(String statement, String... args) {
    try (Connection intruder =
            DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("fleet.db"));
        PreparedStatement run = intruder.prepareStatement(statement)) {
      for (int i = 0; i < args.length; i++) {
        run.setBytes(i + 1, args[i].getBytes(UTF_8));
      }
      return run.executeUpdate();
    } catch (SQLException e) {
      throw new IllegalStateException(statement, e);
    }
  }

  private void restore() {
    sql("DELETE FROM keyfleet_entries");
    sql("INSERT INTO keyfleet_entries SELECT * FROM kept");
    assertTrue(fleet.run("audit", "verify").expectExit(0).out().startsWith(ENTRIES + ":"));
  }

  private void assertBrokenAt(int number) {
    CommandResult result = fleet.run("audit", "verify").expectExit(2);
    assertTrue(
        result.err().startsWith("keyfleet: the audit is broken at entry " + number + ": "),
        result.err());
    assertTrue(result.err().lines().toList().getLast().startsWith("Try: "), result.err());
    assertEquals("", result.out());
  }

  private void replace(String where, String from, String to) {
    String change =
        "UPDATE keyfleet_entries SET value ="
            + " CAST(replace(CAST(value AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT)) AS BLOB) WHERE "
            + where;
    assertEquals(1, sql(change, from, to));
  }

  @Test
  void editedEntry_isFound() {
    for (int i = 1; i <= ENTRIES; i++) {
      replace(AUDIT.formatted(i), "\"anna\"", "\"otto\"");
      assertBrokenAt(i);
      restore();
      replace(AUDIT.formatted(i), "{\"format\"", "{ \"format\"");
      assertBrokenAt(i);
      restore();
      replace(AUDIT.formatted(i), "{", "");
      assertBrokenAt(i);
      assertEquals(
          "keyfleet: audit entries [" + i + "] cannot be read\nTry: keyfleet audit verify\n",
          fleet.run("audit", "list").expectExit(2).err());
      restore();
    }
  }

  /// The newest entry is in the keystore too, and the next writer restores it.
  @Test
  void deletedEntry_isFoundUnlessTheKeystoreHasIt() {
    String head = fleet.run("audit", "verify").expectExit(0).out();
    for (int i = 1; i < ENTRIES; i++) {
      sql("DELETE FROM keyfleet_entries WHERE " + AUDIT.formatted(i));
      assertBrokenAt(i);
      restore();
    }
    sql("DELETE FROM keyfleet_entries WHERE " + AUDIT.formatted(ENTRIES));
    assertEquals(head, fleet.run("audit", "verify").expectExit(0).out());
    fleet.addKeys(ENTRIES + 1);
    fleet.run("kek", "announce", "--version=" + (ENTRIES + 1)).expectExit(0);
    assertEquals(1, sql("DELETE FROM keyfleet_entries WHERE " + AUDIT.formatted(ENTRIES)));
  }

  @Test
  void truncatedChain_isFound() {
    for (int left = 0; left < ENTRIES - 1; left++) {
      sql(
          "DELETE FROM keyfleet_entries WHERE bucket = 'audit' AND key > 'main.%016d'"
              .formatted(left));
      assertBrokenAt(left + 1);
      restore();
    }
  }

  @Test
  void swappedEntries_areFound() {
    for (int i = 1; i < ENTRIES; i++) {
      sql("UPDATE keyfleet_entries SET key = 'aside' WHERE " + AUDIT.formatted(i));
      sql(
          "UPDATE keyfleet_entries SET key = 'main.%016d' WHERE ".formatted(i)
              + AUDIT.formatted(i + 1));
      sql("UPDATE keyfleet_entries SET key = 'main.%016d' WHERE key = 'aside'".formatted(i + 1));
      assertBrokenAt(i);
      restore();
    }
  }

  @Test
  void insertedEntry_isFound() {
    sql(
        "INSERT INTO keyfleet_entries SELECT bucket, 'main.%016d', value, revision + 1000, written_at"
                .formatted(ENTRIES + 1)
            + " FROM kept WHERE "
            + AUDIT.formatted(ENTRIES));
    assertBrokenAt(ENTRIES + 1);
    fleet.addKeys(ENTRIES + 1);
    fleet
        .run("kek", "announce", "--version=" + (ENTRIES + 1))
        .expectExit(1)
        .expectErrorPart("keyfleet audit verify");
  }

  @Test
  void keystoreChangedByHand_isFound() {
    String keystore = "bucket = 'keystores'";
    replace(keystore, "\"epoch\":1", "\"epoch\":2");
    assertNotEquals(0, fleet.run("audit", "verify").exitCode());
    restore();
    replace(keystore, "{", "");
    assertBrokenAt(1);
  }

  /// Chain and keystore agree with each other; only a head kept outside the store differs.
  @Test
  void restoredStore_isFoundByANotedHead() {
    fleet.addKeys(ENTRIES + 1);
    fleet.run("kek", "announce", "--version=" + (ENTRIES + 1)).expectExit(0);
    String noted = fleet.run("audit", "verify").expectExit(0).out().strip();
    restore();
    CommandResult result = fleet.run("audit", "verify", "--noted=" + noted).expectExit(2);
    assertTrue(result.err().contains("broken at entry " + (ENTRIES + 1)), result.err());
  }
}
