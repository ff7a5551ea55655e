package keyfleet.cli.kek;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Set;
import keyfleet.cli.CliFleet;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.InMemoryBackend;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Fence;
import keyfleet.store.Fence.Term;
import keyfleet.store.FenceResult;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The commands that lead out of states that a fleet would otherwise stay in: `kek withdraw`,
/// `forget`, `hold` and `rate`.
class KekWayOutCommandsTest {
  private static final String DONE = "{\"keyring\":\"main\",\"done\":true,\"changed\":true}\n";
  private static final String ALREADY = "{\"keyring\":\"main\",\"done\":true,\"changed\":false}\n";

  private final InMemoryBackend backend = new InMemoryBackend();
  private final CliFleet fleet = new CliFleet(backend);

  @BeforeEach
  void announceVersionsAndStartFleet() {
    fleet.addKeys(2, 3);
    fleet.announce(1, 2);
    fleet.start("api-1", "api", 1, 2, 3);
    fleet.start("worker-1", "worker", 1, 2, 3);
    fleet.runWith("hunter2", "secret", "put", "db").expectExit(0);
  }

  private String audit(String action) {
    return fleet.run("audit", "list", "--action=" + action).expectExit(0).out();
  }

  @Test
  void withdrawnVersion_isNeverUsedAgain() {
    assertEquals(
        "keyring main: v2 is withdrawn\n",
        fleet.run("kek", "withdraw", "--version=2", "--yes").expectExit(0).err());
    assertEquals(
        ALREADY,
        fleet.run("kek", "withdraw", "--version=2", "--yes", "-o", "json").expectExit(0).out());
    fleet
        .run("kek", "rotate", "--from-version=1", "--to-version=2")
        .expectExit(2)
        .expectErrorPart("v2 is withdrawn and can never become active; announce v3 instead");
    fleet
        .run("kek", "announce", "--version=2")
        .expectExit(2)
        .expectErrorStart(
            "keyfleet: v2 is not announced: it was withdrawn, and its number is never used"
                + " again\n");
    assertTrue(audit("withdraw").contains("anna@desk-7 (desk-7-42)  withdraw v2\n"), "the audit");
    fleet.announce(3);
  }

  @Test
  void versionInUse_cannotBeWithdrawn() {
    fleet
        .run("kek", "withdraw", "--version=1", "--yes", "-o", "json")
        .expectExit(2)
        .expectErrorPart("only an announced version can be withdrawn; nothing was changed\n");
    fleet.haltWorkers();
    fleet.run("kek", "rotate", "--from-version=1", "--to-version=2").expectExit(0);
    fleet
        .run("kek", "withdraw", "--version=2", "--yes")
        .expectExit(2)
        .expectErrorPart("Try: keyfleet kek list\n");
    fleet
        .run("kek", "withdraw", "--version=9", "--yes")
        .expectExit(2)
        .expectErrorStart("keyfleet: v9 is not announced; nothing was changed\n");
    assertEquals("", audit("withdraw"));
  }

  @Test
  void silentProcess_isForgotten() {
    fleet
        .run("kek", "forget", "--instance=api-1", "--yes")
        .expectExit(2)
        .expectErrorStart("keyfleet: api-1 is running; stop it, and it leaves by itself");
    fleet.kill("api-1");
    backend.advance(Duration.ofSeconds(90));
    fleet.writeHeartbeats();
    fleet.run("kek", "verify", "--target=2").expectExit(0).expectErrorPart("host=api-1");
    assertEquals(
        "keyring main: api-1 is forgotten\n",
        fleet.run("kek", "forget", "--instance=api-1", "--yes").expectExit(0).err());
    assertEquals("", fleet.run("kek", "verify", "--target=2").expectExit(0).err());
    assertTrue(
        audit("forget").contains("    process.api-1: api on api-1 → none\n"), audit("forget"));
    fleet
        .run("kek", "forget", "--instance=api-1", "--yes", "-o", "json")
        .expectExit(2)
        .expectErrorStart("keyfleet: no process api-1 is known; nothing was changed\n");
  }

  @Test
  void keystoreWithoutAHold_isShown() {
    CommandResult shown = fleet.run("kek", "hold", "show", "-o", "json").expectExit(0);
    assertTrue(shown.out().contains("\"held\":false,\"reason\":\"\""), shown.out());
    assertEquals("keyring main: no hold\n", shown.err());
    fleet
        .run("kek", "hold", "resolve", "--accept-keystore", "--yes")
        .expectExit(2)
        .expectErrorStart("keyfleet: no fence is ahead of the keystore; nothing was changed\n");
  }

  private void raiseForeignFence() {
    Fence ahead = Fence.of(new Term(77, 9), Set.of(new KekVersion(1), new KekVersion(2)));
    assertInstanceOf(FenceResult.Raised.class, backend.collection("keyfleet_secrets").fence(ahead));
  }

  @ParameterizedTest
  @CsvSource({"--adopt-fence,2", "--accept-keystore,1"})
  void heldKeystore_isShownEverywhereAndResolved(String flag, int active) {
    raiseForeignFence();
    CommandResult shown = fleet.run("kek", "hold", "show").expectExit(2);
    assertTrue(
        shown
            .out()
            .lines()
            .anyMatch(it -> it.matches("sqlite keyfleet_secrets  77 +9      v1, v2")),
        shown.out());
    shown.expectErrorPart("SAFE HOLD: sqlite keyfleet_secrets was fenced by another keystore\n");
    shown.expectErrorPart("Try: keyfleet kek hold resolve --adopt-fence\n");
    assertTrue(
        fleet
            .run("kek", "hold", "show", "-o", "json")
            .expectExit(2)
            .out()
            .contains("\"held\":true"),
        "the hold");
    assertEquals(
        DONE, fleet.run("kek", "hold", "resolve", flag, "--yes", "-o", "json").expectExit(0).out());
    fleet.run("kek", "hold", "show").expectExit(0);
    assertTrue(
        fleet
            .run("kek", "list", "-o", "json")
            .expectExit(0)
            .out()
            .contains("\"epoch\":10,\"active\":" + active),
        "the active version");
    assertTrue(audit("resolve the hold").contains("  resolve the hold: "), "the audit");
  }

  @Test
  void badHoldCommand_isRefused() {
    fleet
        .run("kek", "hold", "resolve", "--yes")
        .expectExit(1)
        .expectErrorStart(
            """
            keyfleet: resolve needs either --adopt-fence or --accept-keystore
            Try: keyfleet kek hold show
            """);
    fleet
        .run("kek", "hold", "end")
        .expectExit(1)
        .expectErrorStart("keyfleet: end is not an action; use show or resolve\n");
    fleet.run("kek", "hold").expectExit(1).expectErrorPart("\nTry: ");
  }

  @Test
  void rate_ofARunningRotationIsChanged() {
    fleet.haltWorkers();
    fleet.run("kek", "rotate", "--from-version=1", "--to-version=2").expectExit(0);
    fleet.run("kek", "rate", "500").expectExit(0).expectErrorPart(" is 500 records per second\n");
    CommandResult json = fleet.run("kek", "rate", "7", "-o", "json").expectExit(0);
    assertTrue(json.out().contains("\"rate\":7,"), json.out());
    assertTrue(fleet.run("kek", "status").expectExit(0).out().contains("rate      "), "the rate");
    fleet.run("kek", "rate", "unlimited").expectExit(0).expectErrorPart(" is unlimited\n");
    fleet.resumeWorkers();
    fleet.run("kek", "watch").expectExit(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "1.5", "fast", "0500", "1000000000", ""})
  void badRate_isRefused(String rate) {
    CommandResult result = fleet.run("kek", "rate", "--", rate).expectExit(1);
    result.expectErrorPart("is not a number of records per second; use a whole number");
    assertFalse(result.err().isEmpty(), "the reason");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          kek withdraw                                | missing required option: '--version=N'
          kek withdraw --version=x --yes              | --version=x is not a version; use a positive integer
          kek withdraw --version=2 --keyring=pay      | keyring pay has no key yet
          kek forget --yes                            | missing required option: '--instance=NAME'
          kek hold show --keyring=pay                 | keyring pay has no key yet
          kek attest --version=1 --yes                | missing required option: '--reason=TEXT'
          """)
  void badInput_isReportedInOneSentence(String command, String message) {
    CommandResult result = fleet.run(command.split(" +")).expectExit(1);
    assertTrue(result.err().startsWith("keyfleet: " + message), result.err());
    assertTrue(result.err().lines().toList().getLast().startsWith("Try: "), result.err());
  }
}
