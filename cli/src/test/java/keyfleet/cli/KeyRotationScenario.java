package keyfleet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.regex.Pattern;
import keyfleet.cli.CliFleet.CommandResult;
import org.junit.jupiter.api.Test;

/// A whole key rotation, command by command, on any store: the gate refuses a laggard, the laggard
/// is fixed, the rotation runs, the old key is removed, and every secret is readable without it.
interface KeyRotationScenario {
  TestBackend backend();

  @Test
  default void fleet_rotatesItsKeyAndLosesNothing() {
    try (CliFleet fleet = new CliFleet(backend())) {
      startFleet(fleet);
      refuseTheLaggard(fleet);
      rotate(fleet);
      remove(fleet);
    }
  }

  private static void startFleet(CliFleet fleet) {
    assertEquals(
        "main v1 is active\n", fleet.run("kek", "announce", "--version=1").expectExit(0).err());
    fleet.start("cap-api-1", "api", 1);
    fleet.start("cap-api-2", "api", 1);
    fleet.start("cap-worker-1", "worker", 1);
    assertEquals(
        "stored db/password, sealed under v1\n",
        fleet.runWith("hunter2", "secret", "put", "db/password").expectExit(0).err());
    for (int i = 0; i < 20; i++) {
      fleet.runWith("value " + i, "secret", "put", "s" + i).expectExit(0);
    }
    assertEquals("hunter2", fleet.run("secret", "get", "db/password").expectExit(0).out());
  }

  private static void refuseTheLaggard(CliFleet fleet) {
    fleet.addKeys(2);
    fleet.start("cap-api-2", "api", 1, 2);
    fleet.start("cap-worker-1", "worker", 1, 2);
    fleet.announce(2);
    fleet.writeHeartbeats(); // loads the version
    fleet.writeHeartbeats(); // proves the version
    String laggard =
        """
        NOT READY: target=2
        LAGGARDS:
        host=cap-api-1 pid=1009 loaded=[1] current=1 provider=env version=0.1.0 reason=missing
        On cap-api-1: set KEYFLEET_KEK_V2 and restart the process
        Try: keyfleet kek verify --target=2 --wait
        """;
    assertEquals(laggard, fleet.run("kek", "verify", "--target=2").expectExit(2).err());
    assertEquals(
        laggard,
        fleet.run("kek", "rotate", "--from-version=1", "--to-version=2").expectExit(2).err());
    fleet.start("cap-api-1", "api", 1, 2);
    fleet.writeHeartbeats();
    assertEquals(
        "READY: target=2 processes=3\n",
        fleet.run("kek", "verify", "--target=2").expectExit(0).out());
  }

  private static void rotate(CliFleet fleet) {
    CommandResult dryRun =
        fleet.run("kek", "rotate", "--from-version=1", "--to-version=2", "--dry-run").expectExit(0);
    assertTrue(dryRun.err().contains("dry run: 21 checked, 0 would fail"), dryRun.err());
    CommandResult started =
        fleet.run("kek", "rotate", "--from-version=1", "--to-version=2").expectExit(0);
    assertTrue(started.err().startsWith("v1 -> v2: rotation "), started.err());
    String running = fleet.run("kek", "status", "-o", "json").expectExit(0).out();
    assertTrue(
        Pattern.matches(
            "\\{\"keyring\":\"main\",\"state\":\"in_progress\",\"phase\":\"staged\",\"total\":0,\"done\":0,\"failed_records\":0,\"active\":1,\"epoch\":1,\"rotation\":\"[0-9a-f]{32}\",\"kind\":\"rotation\",\"from_version\":1,\"to_version\":2,\"course\":\"forward\",\"driver\":\"\",\"note\":\"\",\"failures\":\\[]}\n",
            running),
        running);
    CommandResult watched = fleet.run("kek", "watch").expectExit(0);
    assertTrue(watched.out().contains("v1 -> v2  completed"), watched.out());
    CommandResult done = fleet.run("kek", "status", "-o", "json").expectExit(0);
    assertTrue(
        done.out()
            .startsWith(
                "{\"keyring\":\"main\",\"state\":\"completed\",\"phase\":\"completed\",\"total\":21,"
                    + "\"done\":21,\"failed_records\":0,\"active\":2,\"epoch\":2,"),
        done.out());
    fleet.run("kek", "rotate", "--from-version=1", "--to-version=2", "--wait").expectExit(0);
  }

  private static void remove(CliFleet fleet) {
    CommandResult active = fleet.run("kek", "remove", "--version=2", "--yes").expectExit(2);
    assertTrue(active.err().contains("  v2 is active, not decrypt-only\n"), active.err());
    assertTrue(
        active.err().contains("  21 records of sqlite keyfleet_secrets carry it\n"), active.err());
    assertTrue(active.err().contains("  cap-api-1 holds it as current\n"), active.err());
    fleet.writeHeartbeats();
    assertEquals(
        "main v1 is disabled\n",
        fleet.run("kek", "remove", "--version=1", "--yes").expectExit(0).err());
    fleet.environment.remove("KEYFLEET_KEK_V1");
    fleet.start("cap-api-1", "api", 2);
    assertEquals("hunter2", fleet.run("secret", "get", "db/password").expectExit(0).out());
    for (int i = 0; i < 20; i++) {
      assertEquals("value " + i, fleet.run("secret", "get", "s" + i).expectExit(0).out());
    }
    fleet.runWith("new", "secret", "put", "s1").expectExit(0);
    String inventory = fleet.run("kek", "inventory").expectExit(0).out();
    assertEquals(
        """
        COLLECTION               VERSION  BELONGING  CARRYING
        sqlite keyfleet_secrets  v2       21         21
        """,
        inventory);
    assertFalse(fleet.run("secret", "list").expectExit(0).out().contains("v1"));
  }
}
