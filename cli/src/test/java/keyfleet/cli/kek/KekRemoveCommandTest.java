package keyfleet.cli.kek;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import keyfleet.cli.CliFleet;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.InMemoryBackend;
import keyfleet.cli.output.Console.Output;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Disabling, enabling and destroying a version.
class KekRemoveCommandTest {
  private final InMemoryBackend backend = new InMemoryBackend();
  private final CliFleet fleet = new CliFleet(backend);

  @BeforeEach
  void rotate() {
    fleet.addKeys(2);
    fleet.announce(1, 2);
    fleet.start("worker-1", "worker", 1, 2);
    fleet.runWith("hunter2", "secret", "put", "db").expectExit(0);
    fleet.run("kek", "rotate", "--from-version=1", "--to-version=2", "--wait").expectExit(0);
    fleet.writeHeartbeats();
  }

  private CommandResult remove(String... more) {
    return fleet.runLine("kek remove --version=1", more);
  }

  @Test
  void disabledVersion_canComeBack() {
    assertEquals("main v1 is disabled\n", remove().expectExit(0).err());
    assertEquals("main v1 is disabled\n", remove().expectExit(0).err());
    assertEquals("main v1 is decrypt-only\n", remove("--undo").expectExit(0).err());
    remove("--undo").expectExit(2);
  }

  @Test
  void versionInUse_isKeptWithEveryReason() {
    CommandResult result = fleet.run("kek", "remove", "--version=2", "-o", "json").expectExit(2);
    assertEquals(
        "{\"keyring\":\"main\",\"version\":2,\"state\":\"active\",\"done\":false,\"reasons\":["
            + "\"v2 is active, not decrypt-only\",\"worker-1 holds it as current\","
            + "\"1 records of sqlite keyfleet_secrets carry it\"]}\n",
        result.out());
    assertEquals(
        """
        keyfleet: v2 stays active:
          v2 is active, not decrypt-only
          worker-1 holds it as current
          1 records of sqlite keyfleet_secrets carry it
        Try: run the same command again, when none of these reasons holds
        """,
        result.err());
  }

  @Test
  void collectionOutOfReach_isAReason() {
    backend.dropCollection("keyfleet_secrets");
    remove()
        .expectExit(2)
        .expectErrorPart(
            "  sqlite keyfleet_secrets could not be counted: this process cannot reach it\n");
    CommandResult inventory = fleet.run("kek", "inventory", "-o", "json").expectExit(2);
    assertEquals(
        "{\"keyring\":\"main\",\"collections\":[],\"not_counted\":[{\"engine\":\"sqlite\",\"collection\":\"keyfleet_secrets\",\"reason\":\"there"
            + " is no table keyfleet_secrets\"}],\"unusable\":[],\"undeclared\":[],\"not_scanned\":[]}\n",
        inventory.out());
    assertTrue(
        inventory
            .err()
            .startsWith(
                "not counted: sqlite keyfleet_secrets: there is no table keyfleet_secrets\n"));
  }

  @Test
  void collectionOfAnEngineThatWasNotNamed_isNotCounted() {
    fleet.environment.put("KEYFLEET_STORE", "nats://h");
    fleet.environment.put("KEYFLEET_RECORDS", "postgresql://h/d");
    fleet
        .run("kek", "inventory")
        .expectExit(2)
        .expectErrorStart(
            "not counted: sqlite keyfleet_secrets: neither --store nor --records names"
                + " sqlite\n");
    fleet.environment.put("KEYFLEET_STORE", "sqlite:memory");
    fleet.run("kek", "inventory").expectExit(0);
  }

  @ParameterizedTest
  @CsvSource({"y,0", "Yes,0", "n,1", "'',1", "x,1"})
  void terminal_asksFirst(String answer, int exit) {
    fleet.output = Output.TERMINAL;
    CommandResult result =
        fleet.runWith(answer + "\n", "kek", "remove", "--version=1").expectExit(exit);
    assertTrue(result.err().startsWith("Disable main/v1? [y/N] "), result.err());
    assertEquals(exit == 0, result.err().endsWith("main v1 is disabled\n"), result.err());
    assertEquals(
        exit != 0,
        result
            .err()
            .contains(
                "keyfleet: nothing was changed\nTry: keyfleet kek remove --version=1 --yes\n"));
  }

  @Test
  void terminalWithYes_isNotAsked() {
    fleet.output = Output.TERMINAL;
    assertEquals("main v1 is disabled\n", remove("--yes").expectExit(0).err());
  }

  @Test
  void destroying_requiresTypingTheName() {
    remove().expectExit(0);
    backend.advance(Duration.ofDays(31));
    fleet.writeHeartbeats();
    fleet.output = Output.TERMINAL;
    fleet.runWith("y\n", "kek", "remove", "--version=1", "--destroy").expectExit(1);
    fleet.runWith("main/v1\n", "kek", "remove", "--version=1", "--destroy").expectExit(0);
  }

  @Test
  void destroying_waitsForBackupsAndBytes() {
    remove().expectExit(0);
    remove("--destroy", "--yes")
        .expectExit(2)
        .expectErrorPart("  backups younger than 30 days may need it\n");
    backend.advance(Duration.ofDays(2));
    fleet.writeHeartbeats();
    remove("--destroy", "--yes").expectExit(2);
    assertEquals(
        """
        main v1 is destroying
          host=worker-1 pid=1008 still holds its key
          provider env of this host still holds its key: remove KEYFLEET_KEK_V1 where it is set, and restart the processes that have it
        Now delete its key everywhere, then: keyfleet kek remove --version=1 --destroy
        """,
        remove("--destroy", "--yes", "--horizon=1d").expectExit(0).err());
    assertEquals(
        """
        keyfleet: v1 stays destroying:
          host=worker-1 pid=1008 still holds its key
          provider env of this host still holds its key: remove KEYFLEET_KEK_V1 where it is set, and restart the processes that have it
        Try: run the same command again, when none of these reasons holds
        """,
        remove("--destroy", "--yes").expectExit(2).err());
    remove("--undo").expectExit(2);
    fleet.environment.remove("KEYFLEET_KEK_V1");
    fleet.start("worker-1", "worker", 2);
    assertEquals("main v1 is destroyed\n", remove("--destroy", "--yes").expectExit(0).err());
    assertEquals("main v1 is destroyed\n", remove("--destroy", "--yes").expectExit(0).err());
  }

  @Test
  void inventory_countsByVersion() {
    assertEquals(
        "{\"keyring\":\"main\",\"collections\":[{\"engine\":\"sqlite\",\"collection\":\"keyfleet_secrets\",\"versions\":[{\"version\":2,\"belonging\":1,\"carrying\":1}],\"unreadable\":0,\"mismatched\":0,\"other_keystore\":0}],\"not_counted\":[],\"unusable\":[],\"undeclared\":[],\"not_scanned\":[]}\n",
        fleet.run("kek", "inventory", "-o", "json").expectExit(0).out());
  }
}
