package keyfleet.cli.kek;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import keyfleet.cli.CliFleet;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.InMemoryBackend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// How a keyring is created and gets new versions.
class KekAnnounceCommandTest {
  private final InMemoryBackend backend = new InMemoryBackend();
  private final CliFleet fleet = new CliFleet(backend);

  @Test
  void firstVersion_isActiveAtOnce() {
    assertEquals(
        "{\"keyring\":\"main\",\"version\":1,\"state\":\"active\",\"changed\":true}\n",
        fleet.run("kek", "announce", "--version=1", "-o", "json").expectExit(0).out());
  }

  @Test
  void nextVersion_isAnnounced() {
    fleet.addKeys(2);
    fleet.announce(1);
    assertEquals(
        "main v2 is announced\n", fleet.run("kek", "announce", "--version=2").expectExit(0).err());
    assertEquals(
        "main v2 is already announced\n",
        fleet.run("kek", "announce", "--version=2").expectExit(0).err());
  }

  @Test
  void firstVersionAboveOne_isRefused() {
    fleet.addKeys(2);
    assertEquals(
        """
        keyfleet: v2 is not announced: the first version of a keyring is v1, not v2
        Try: keyfleet kek list
        """,
        fleet.run("kek", "announce", "--version=2").expectExit(2).err());
  }

  @Test
  void otherBytesUnderAKnownNumber_areRefused() {
    fleet.announce(1);
    fleet.environment.put("KEYFLEET_KEK_V1", CliFleet.key(9));
    fleet
        .run("kek", "announce", "--version=1")
        .expectExit(1)
        .expectErrorStart("keyfleet: this host has a different key for v1");
  }

  @Test
  void pluginKeyring_isNamedKms() {
    fleet.environment.put("KEYFLEET_KEK_KMS_V1", CliFleet.key(5));
    CommandResult result = fleet.run("kek", "announce", "--version=1", "--use=kms").expectExit(0);
    assertEquals("kms v1 is active\n", result.err());
    assertTrue(
        fleet
            .run("kek", "list", "--keyring=kms", "-o", "json")
            .expectExit(0)
            .out()
            .contains("\"use\":\"kms\""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          KEYFLEET_TIMING_HEARTBEAT | soon | KEYFLEET_TIMING_HEARTBEAT is 'soon'; a duration is
          KEYFLEET_TIMING_HEARTBEAT | 2h   | KEYFLEET_TIMING_… must keep 2 x _HEARTBEAT <= _FRESH
          KEYFLEET_TIMING_HARTBEAT  | 2s   | there is no setting KEYFLEET_TIMING_HARTBEAT
          """)
  void badTimings_createNoKeyring(String variable, String value, String sentence) {
    fleet.environment.put(variable, value);
    fleet
        .run("kek", "announce", "--version=1")
        .expectExit(1)
        .expectErrorStart("keyfleet: " + sentence);
    fleet.environment.remove(variable);
    fleet.run("kek", "list").expectExit(1);
  }

  @Test
  void newKeystore_startsAboveOldFences() {
    fleet.announce(1);
    fleet.runWith("x", "secret", "put", "a").expectExit(0);
    backend.dropCollection("keyfleet_secrets");
    backend.deleteKeystores();
    fleet
        .run("kek", "announce", "--version=1")
        .expectExit(1)
        .expectErrorStart("keyfleet: there is no table keyfleet_secrets\n");
  }
}
