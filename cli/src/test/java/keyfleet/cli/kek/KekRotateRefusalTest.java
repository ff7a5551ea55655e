package keyfleet.cli.kek;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Instant;
import keyfleet.cli.CliFleet;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.InMemoryBackend;
import keyfleet.keyring.Heartbeat.Host;
import keyfleet.providers.ProviderFixtures;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.StoredRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Rotations that could not end are refused before they start: with records that no process can
/// open, and back to a version that was replaced.
class KekRotateRefusalTest {
  private static final String SECRETS = "keyfleet_secrets";
  private static final String ROTATE = "kek rotate --from-version=2 --to-version=3";

  @TempDir Path folder = Path.of("");
  private final InMemoryBackend backend = new InMemoryBackend();
  private final CliFleet fleet = new CliFleet(backend);

  @BeforeEach
  void announceVersionsAndStartFleet() {
    fleet.addKeys(2, 3);
    fleet.announce(1, 2, 3);
    fleet.start("worker-1", "worker", 1, 2, 3);
    fleet.runWith("hunter2", "secret", "put", "db").expectExit(0);
  }

  private void rotateToVersion2() {
    fleet.run("kek", "rotate", "--from-version=1", "--to-version=2", "--wait").expectExit(0);
    fleet.writeHeartbeats();
  }

  private StoredRecord read(InMemoryBackend from) {
    return from.collection(SECRETS).read(new RecordId("db")).orElseThrow();
  }

  /// Replaces the table, and with it its fence, by one of a backup with this record.
  private void restoreTable(StoredRecord record) {
    backend.dropCollection(SECRETS);
    assertInstanceOf(RecordWriteResult.Stored.class, backend.collection(SECRETS).insert(record));
  }

  private void assertNamed(CommandResult result, String line, String remedy) {
    assertEquals(
        """
        1 records of sqlite keyfleet_secrets need %s
        keyfleet: some records need a version that the fleet does not hold
        Try: %s
        """
            .formatted(line, remedy),
        result.expectExit(2).err());
  }

  @Test
  void disabledVersion_isNamedBeforeTheRotationStarts() {
    StoredRecord old = read(backend);
    rotateToVersion2();
    fleet.run("kek", "remove", "--version=1", "--yes").expectExit(0);
    restoreTable(old);
    String undo = "keyfleet kek remove --version=1 --undo";
    assertNamed(fleet.runLine(ROTATE), "v1, which is disabled", undo);
    assertNamed(fleet.runLine(ROTATE, "--dry-run"), "v1, which is disabled", undo);
    assertNamed(fleet.runLine("kek inventory"), "v1, which is disabled", undo);
    String inventory = fleet.run("kek", "inventory", "-o", "json").expectExit(2).out();
    assertTrue(
        inventory.contains(
            "\"unusable\":[{\"engine\":\"sqlite\",\"collection\":\"keyfleet_secrets\",\"version\":1,"
                + "\"records\":1,\"reason\":\"disabled\"}]"),
        inventory);
    assertTrue(
        fleet.runLine(ROTATE, "-o", "json").expectExit(2).out().contains("\"exit_code\":2"),
        "an object");
    fleet.run("kek", "status").expectExit(0);
    fleet.run("kek", "remove", "--version=1", "--undo").expectExit(0);
    fleet.writeHeartbeats();
    fleet.runLine(ROTATE, "--wait").expectExit(0);
  }

  @Test
  void unknownVersion_isNamed() {
    InMemoryBackend otherBackend = new InMemoryBackend();
    try (CliFleet other = new CliFleet(otherBackend)) {
      other.addKeys(2, 3, 4, 5);
      for (int version = 1; version <= 5; version++) {
        other.announce(version);
      }
      other.start("worker-1", "worker", 1, 2, 3, 4, 5);
      other.runWith("hunter2", "secret", "put", "db").expectExit(0);
      other.run("kek", "rotate", "--from-version=1", "--to-version=5", "--wait").expectExit(0);
    }
    rotateToVersion2();
    restoreTable(read(otherBackend));
    assertNamed(
        fleet.runLine(ROTATE),
        "v5, which is unknown",
        "restore the keystore or the records from a backup, or delete the records: only the key of"
            + " v5 opens them");
  }

  @Test
  void versionThatNoProcessHolds_isNamed() {
    StoredRecord old = read(backend);
    rotateToVersion2();
    restoreTable(old);
    fleet.runLine("kek inventory").expectExit(0);
    fleet.start("worker-1", "worker", 2, 3);
    assertNamed(
        fleet.runLine(ROTATE), "v1, which no process has loaded", "keyfleet kek verify --target=1");
    assertNamed(
        fleet.runLine("kek inventory"),
        "v1, which no process has loaded",
        "keyfleet kek verify --target=1");
    fleet
        .run("kek", "verify", "--target=1")
        .expectExit(2)
        .expectErrorPart("On worker-1: set KEYFLEET_KEK_V1 and restart the process");
    fleet.stop("worker-1");
    fleet.runLine("kek inventory").expectExit(0);
  }

  /// A compromised key must not wait for records that are lost anyway.
  @Test
  void revocation_namesTheRecordsAndStarts() {
    StoredRecord old = read(backend);
    rotateToVersion2();
    fleet.run("kek", "remove", "--version=1", "--yes").expectExit(0);
    restoreTable(old);
    CommandResult result =
        fleet.run("kek", "revoke", "--from-version=2", "--to-version=3", "--yes").expectExit(0);
    result.expectErrorStart("1 records of sqlite keyfleet_secrets need v1, which is disabled\n");
    result.expectErrorPart("v2 -> v3: rotation ");
  }

  @Test
  void wayBack_isANewVersion() {
    rotateToVersion2();
    assertEquals(
        """
        keyfleet: v1 is decrypt-only and can never become active again; rotate to v3 instead, which is announced with provider env
        Try: keyfleet kek rotate --from-version=2 --to-version=3
        """,
        fleet.run("kek", "rotate", "--from-version=2", "--to-version=1").expectExit(2).err());
    fleet.run("kek", "rotate", "--from-version=2", "--to-version=3", "--wait").expectExit(0);
    assertEquals(
        """
        keyfleet: v1 is decrypt-only and can never become active again; to go back, announce v4 with new bytes, in the provider of v1 (env) or in another
        Try: keyfleet kek announce --version=4
        """,
        fleet.run("kek", "rotate", "--from-version=3", "--to-version=1").expectExit(2).err());
  }

  @Test
  void wayBackToFiles_beginsWithANewFile() {
    CliFleet files = new CliFleet(new InMemoryBackend());
    for (int version = 1; version <= 2; version++) {
      ProviderFixtures.file(
          folder.resolve("main.v" + version + ".key"), CliFleet.key(version), "rw-------");
    }
    String provider = "file:" + folder;
    files.environment.remove("KEYFLEET_KEK_V1");
    files.environment.put("KEYFLEET_PROVIDER", provider);
    files.announce(1, 2);
    files.start(new Host("worker-1", 7, "", Instant.EPOCH), "worker", provider);
    files.run("kek", "rotate", "--from-version=1", "--to-version=2", "--wait").expectExit(0);
    String[] back = {"kek", "rotate", "--from-version=2", "--to-version=1"};
    CommandResult result = files.run(back).expectExit(2);
    result.expectErrorPart("in the provider of v1 (file) or in another\n");
    result.expectErrorPart("Try: keyfleet kek generate --version=3\n");
    files.run("kek", "generate", "--version=3").expectExit(0);
    files.run(back).expectExit(2).expectErrorPart("Try: keyfleet kek announce --version=3\n");
    files.announce(3);
    files
        .run(back)
        .expectExit(2)
        .expectErrorPart("Try: keyfleet kek rotate --from-version=2 --to-version=3\n");
    files.close();
  }
}
