package keyfleet.cli.keyring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import keyfleet.cli.CliFleet;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.InMemoryBackend;
import keyfleet.cli.SqliteBackend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `keyring list`, and collections that are listed and, once their table is gone, unregistered.
class KeyringCommandsTest {
  @TempDir Path folder = Path.of("");

  @Test
  void keyrings_areListedWithTheirUse() {
    CliFleet fleet = new CliFleet(new InMemoryBackend());
    fleet.environment.put("KEYFLEET_KEK_KMS_V1", CliFleet.key(5));
    assertEquals(
        "KEYRING  USE  ACTIVE  EPOCH  ROTATION\n",
        fleet.run("keyring", "list").expectExit(0).out());
    fleet.announce(1);
    fleet.run("kek", "announce", "--version=1", "--use=kms").expectExit(0);
    assertEquals(
        """
        KEYRING  USE      ACTIVE  EPOCH  ROTATION
        kms      kms      v1      1      idle
        main     records  v1      1      idle
        """,
        fleet.run("keyring", "list").expectExit(0).out());
    assertEquals(
        "{\"keyrings\":[{\"keyring\":\"kms\",\"use\":\"kms\",\"active\":1,\"epoch\":1,\"rotation\":\"idle\"},"
            + "{\"keyring\":\"main\",\"use\":\"records\",\"active\":1,\"epoch\":1,\"rotation\":\"idle\"}]}\n",
        fleet.run("keyring", "list", "-o", "json").expectExit(0).out());
    fleet
        .run("keyring", "list", "--keyring=main")
        .expectExit(1)
        .expectErrorStart("keyfleet: unknown ");
    fleet.run("keyring", "list", "--store=").expectExit(1).expectErrorPart("\nTry: ");
  }

  private CliFleet fleetWithASecret() {
    CliFleet fleet = new CliFleet(new SqliteBackend(folder));
    fleet.addKeys(2);
    fleet.announce(1, 2);
    fleet.start("worker-1", "worker", 1, 2);
    fleet.runWith("hunter2", "secret", "put", "db").expectExit(0);
    return fleet;
  }

  private void dropSecrets() {
    try (Connection application =
            DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("fleet.db"));
        Statement statement = application.createStatement()) {
      statement.execute("DROP TABLE keyfleet_secrets");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void droppedTable_isListedAndUnregistered_andRotationsGoOn() {
    try (CliFleet fleet = fleetWithASecret()) {
      assertEquals(
          """
          ENGINE  COLLECTION        FIELDS  STATE  LAST COUNT
          sqlite  keyfleet_secrets  value   open   an unknown number of records
          """,
          fleet.run("collection", "list").expectExit(0).out());
      fleet
          .run("collection", "unregister", "keyfleet_secrets", "--yes")
          .expectExit(2)
          .expectErrorStart(
              "keyfleet: collection sqlite keyfleet_secrets exists; only one that is gone can be"
                  + " unregistered; nothing was changed\nTry: keyfleet collection list\n");
      dropSecrets();
      assertTrue(
          fleet
              .run("collection", "list", "-o", "json")
              .expectExit(0)
              .out()
              .startsWith(
                  "{\"collections\":[{\"engine\":\"sqlite\",\"collection\":\"keyfleet_secrets\","
                      + "\"state\":\"missing\","),
          "the list");
      CommandResult done =
          fleet
              .run("collection", "unregister", "keyfleet_secrets", "--yes", "-o", "json")
              .expectExit(0);
      assertEquals("{\"keyring\":\"main\",\"done\":true,\"changed\":true}\n", done.out());
      assertEquals(
          "ENGINE  COLLECTION  FIELDS  STATE  LAST COUNT\n",
          fleet.run("collection", "list").expectExit(0).out());
      assertTrue(
          fleet
              .run("audit", "list", "--action=unregister")
              .expectExit(0)
              .out()
              .contains("  unregister sqlite keyfleet_secrets\n"),
          "the audit");
      fleet.run("kek", "rotate", "--from-version=1", "--to-version=2", "--wait").expectExit(0);
    }
  }

  @Test
  void unknownCollection_isRefused() {
    try (CliFleet fleet = fleetWithASecret()) {
      fleet
          .run("collection", "unregister", "orders", "--yes")
          .expectExit(1)
          .expectErrorStart(
              """
              keyfleet: no collection orders is registered for this keyring
              Try: keyfleet collection list
              """);
      fleet
          .run("collection", "unregister", "keyfleet_secrets", "--engine=mongodb", "--yes")
          .expectExit(1)
          .expectErrorStart("keyfleet: no collection keyfleet_secrets is registered");
      fleet.run("collection", "unregister").expectExit(1).expectErrorPart("\nTry: ");
      fleet
          .run("collection", "list", "--keyring=pay", "-o", "json")
          .expectExit(1)
          .expectErrorPart("keyring pay has no key yet");
    }
  }
}
