package keyfleet.cli.kek;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.TreeSet;
import keyfleet.cli.CliFleet;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.InMemoryBackend;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.member.document.KeystoreStore;
import keyfleet.store.Fence;
import keyfleet.store.Fence.Term;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What commands say of a keyring whose keystore is behind a fence.
class KekHoldCommandTest {
  private static final String REASON =
      "sqlite keyfleet_secrets was fenced in epoch 7, but the keystore is in epoch 1";
  private static final String HOLD = "SAFE HOLD: " + REASON + "\nTry: keyfleet kek hold show\n";

  private final InMemoryBackend backend = new InMemoryBackend();
  private final CliFleet fleet = new CliFleet(backend);

  @BeforeEach
  void fenceAheadOfTheKeystore() {
    fleet.addKeys(2);
    fleet.announce(1, 2);
    fleet.start("w", "worker", 1, 2);
    fleet.runWith("secret", "secret", "put", "a").expectExit(0);
    fence(keystore().identity().incarnation(), 7, 2);
  }

  private Keystore keystore() {
    return KeystoreStore.list(backend.open().kv()).values().iterator().next().keystore();
  }

  private void fence(long incarnation, long epoch, int writable) {
    var _ =
        backend
            .collection("keyfleet_secrets")
            .fence(
                new Fence(
                    new Term(incarnation, epoch),
                    new TreeSet<>(List.of(new KekVersion(writable)))));
  }

  @Test
  void readyFleet_isNotReadyInAHold() {
    assertEquals(
        "NOT READY: target=2\n" + HOLD,
        fleet.run("kek", "verify", "--target=2").expectExit(2).err());
    CommandResult json = fleet.run("kek", "verify", "--target=2", "-o", "json").expectExit(2);
    assertTrue(
        json.out()
            .startsWith(
                "{\"keyring\":\"main\",\"target\":2,\"ready\":false,\"safe_hold\":\""
                    + REASON
                    + "\""),
        json.out());
  }

  @Test
  void versionThatTheKeystoreHasLost_isNotReady() {
    fleet
        .run("kek", "verify", "--target=3")
        .expectExit(2)
        .expectErrorStart(
            "keyfleet: safe hold: %s; the keystore does not know v3\nTry: keyfleet kek hold show\n"
                .formatted(REASON));
  }

  @Test
  void rotation_isNotReady() {
    assertEquals(
        "NOT READY: target=2\n" + HOLD,
        fleet.run("kek", "rotate", "--from-version=1", "--to-version=2").expectExit(2).err());
  }

  @ParameterizedTest
  @ValueSource(strings = {"kek list", "kek status"})
  void commandsThatOnlyLook_showTheHoldAndExitZero(String command) {
    CommandResult result = fleet.runLine(command).expectExit(0);
    assertEquals(HOLD, result.err());
    String json = fleet.runLine(command, "-o", "json").expectExit(0).out();
    assertTrue(json.contains("\"safe_hold\":\"" + REASON + "\""), json);
  }

  @Test
  void doctor_failsAndNamesTheKeyring() {
    String out = fleet.run("doctor").expectExit(2).out();
    assertTrue(
        out.contains(
            "[fail] keyring main is in a safe hold, so nothing is sealed: %s\n       Try: keyfleet kek hold show\n"
                .formatted(REASON)),
        out);
  }

  @ParameterizedTest
  @ValueSource(strings = {"kek announce --version=3", "kek pause", "secret put b"})
  void changes_areRefusedAndPointToTheHold(String command) {
    fleet.addKeys(3);
    CommandResult result = fleet.runWith("x", command.split(" ")).expectExit(2);
    assertTrue(result.err().contains("was fenced in epoch 7"), result.err());
    assertTrue(result.err().endsWith("\nTry: keyfleet kek hold show\n"), result.err());
  }

  @Test
  void keyringsNameAndStore_areInTheRemedy() {
    fleet
        .run("kek", "verify", "--target=2", "--store=sqlite:memory")
        .expectExit(2)
        .expectErrorPart("Try: keyfleet kek hold show --store=sqlite:memory\n");
  }

  @Test
  void collectionThatCannotBeRead_isNotNoHold() {
    backend.dropCollection("keyfleet_secrets");
    fleet
        .run("kek", "hold", "show")
        .expectExit(2)
        .expectErrorPart(", so not every fence is known here\nTry: keyfleet collection list\n");
  }

  @Test
  void resolvedHold_isShownNoMore() {
    fleet.run("kek", "hold", "show").expectExit(2).expectErrorPart("SAFE HOLD: " + REASON);
    fleet.run("kek", "hold", "resolve", "--adopt-fence", "--yes").expectExit(0);
    assertEquals("keyring main: no hold\n", fleet.run("kek", "hold", "show").expectExit(0).err());
    fleet.writeHeartbeats();
    fleet.run("kek", "verify", "--target=2").expectExit(0);
    fleet.run("doctor").expectExit(0);
    assertEquals(new KekVersion(2), keystore().active());
  }
}
