package keyfleet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.util.Set;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.output.Console.Output;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Fence;
import keyfleet.store.Fence.Term;
import keyfleet.store.FenceResult;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Every command that asks ends with "nothing was changed" unless the answer is yes, and without a
/// terminal it requires `--yes`.
class ConfirmationTableTest {
  private final InMemoryBackend backend = new InMemoryBackend();
  private final CliFleet fleet = new CliFleet(backend);

  @BeforeEach
  void announceVersions() {
    fleet.addKeys(2);
    fleet.announce(1, 2);
    fleet.start("worker-1", "worker", 1, 2);
    fleet.runWith("hunter2", "secret", "put", "db").expectExit(0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          kek remove --version=1                                | [y/N]
          kek remove --version=1 --destroy                      | Type main/v1 to destroy it:
          kek remove --version=1 --destroy --waive-fence        | Type main/v1 to destroy it:
          kek revoke --from-version=1 --to-version=2            | [y/N]
          kek withdraw --version=2                              | Type v2 to confirm:
          kek forget --instance=worker-1                        | Type worker-1 to confirm:
          kek hold resolve --adopt-fence                        | Type main to confirm:
          kek hold resolve --accept-keystore                    | Type main to confirm:
          collection unregister keyfleet_secrets                | Type keyfleet_secrets to confirm:
          """)
  void no_changesNothing(String command, String question) {
    if (command.contains("hold")) {
      holdTheKeystore();
    }
    assertNothingChanged("main", command, question, command);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kek attest --version=1 --reason='all objects were rewritten' --keyring=kms",
        "kek attest --version=1 --cluster=any --reason=done --keyring=kms"
      })
  void noToAnAttestation_changesNothing(String command) {
    fleet.environment.put("KEYFLEET_KEK_KMS_V1", CliFleet.key(5));
    fleet.run("kek", "announce", "--version=1", "--use=kms").expectExit(0);
    assertNothingChanged("kms", command, "Type v1 to confirm:", command);
  }

  private void assertNothingChanged(
      String keyring, String command, String question, String repeated) {
    String[] words = RemedyCompleter.splitWords(command).toArray(String[]::new);
    String before = state(keyring);
    fleet.output = Output.TERMINAL;
    for (String answer : Set.of("n\n", "no\n", "\n", "")) {
      CommandResult result = fleet.runWith(answer, words).expectExit(1);
      result.expectErrorPart(question + " keyfleet: nothing was changed\n");
      assertRemedy(repeated, result);
    }
    fleet.output = Output.PIPE;
    if (!command.equals("kek remove --version=1")) { // that can be undone
      CommandResult result = fleet.run(words).expectExit(1);
      result.expectErrorPart(" needs --yes");
      assertRemedy(repeated, result);
    }
    assertEquals(before, state(keyring));
  }

  private static void assertRemedy(String command, CommandResult result) {
    assertEquals(
        RemedyCompleter.splitWords("Try: keyfleet " + command + " --yes"),
        RemedyCompleter.splitWords(result.err().lines().toList().getLast()));
  }

  private String state(String keyring) {
    return fleet.run("kek", "list", "-o", "json", "--keyring=" + keyring).out()
        + fleet.run("audit", "list", "--keyring=" + keyring).out()
        + fleet.run("collection", "list", "--keyring=" + keyring).out();
  }

  private void holdTheKeystore() {
    Fence ahead = Fence.of(new Term(77, 9), Set.of(new KekVersion(1), new KekVersion(2)));
    assertInstanceOf(FenceResult.Raised.class, backend.collection("keyfleet_secrets").fence(ahead));
  }
}
