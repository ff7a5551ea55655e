package keyfleet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.config.EngineFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Mistakes and outages, as a new user meets them. Each ends in a sentence in the words of people
/// and a remedy. One that begins like a command parses, differs from the failed call, and leads on
/// when it is run.
class ProvokedFailuresTest {
  /// Names of classes, codes and constants that only a programmer knows.
  private static final Pattern INTERNAL =
      Pattern.compile(
          "PT[0-9]|SQLSTATE|[a-z]Exception|[a-z]_[0-9]+ms"
              + "|\\b(?!KEYFLEET_|XDG_|AWS_|NOT_|SAFE_)[A-Z]+_[A-Z_]+\\b");

  private static final String VALUES_OF_USERS = "KEYFLEET_[A-Z0-9_]*";

  private final InMemoryBackend backend = new InMemoryBackend();
  private final CliFleet fleet = new CliFleet(backend);

  @TempDir Path folder = Path.of("");

  @BeforeEach
  void startFleet() {
    fleet.openEngine =
        url -> url.toString().equals(backend.url()) ? backend.open() : EngineFactory.open(url);
    fleet.announce(1);
    fleet.runWith("hunter2", "secret", "put", "a").expectExit(0);
  }

  private static String remedy(CommandResult result) {
    String last = result.err().lines().toList().getLast();
    assertTrue(last.startsWith("Try: "), result::toString);
    return last.substring("Try: ".length());
  }

  private CommandResult provoke(String line) {
    List<String> call = RemedyCompleter.splitWords(line.replace("$DIR", folder.toString()));
    CommandResult failed = fleet.run(call.toArray(String[]::new));
    assertNotEquals(0, failed.exitCode(), failed::toString);
    String said = failed.err().replaceAll(VALUES_OF_USERS, "").replace(folder.toString(), "");
    assertFalse(INTERNAL.matcher(said).find(), failed::toString);
    String sentence =
        failed.err().lines().filter(it -> it.startsWith("keyfleet: ")).findFirst().orElse("");
    assertFalse(sentence.contains("  "), () -> "a value is missing: " + failed);
    assertLeadsOn(call, failed);
    return failed;
  }

  private void assertLeadsOn(List<String> call, CommandResult failed) {
    String remedy = remedy(failed);
    assertFalse(remedy.startsWith("-"), remedy);
    assertFalse(remedy.startsWith("run keyfleet"), remedy);
    if (!remedy.startsWith("keyfleet ")) {
      return;
    }
    List<String> words = RemedyCompleter.splitWords(remedy.substring("keyfleet ".length()));
    assertNotEquals(call, words);
    if (words.getFirst().equals("server")) {
      return; // it would run for ever
    }
    CommandResult next = fleet.run(words.toArray(String[]::new));
    assertFalse(next.err().contains("unknown argument"), next::toString);
    assertFalse(next.err().contains("issing required"), next::toString);
    assertTrue(
        next.exitCode() == 0 || !next.err().equals(failed.err()),
        () -> "the remedy fails in the same way: " + next);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nope",
        "kek",
        "kek nope",
        "kek list -o xml",
        "kek list --stroe=sqlite:x.db",
        "kek list --store=",
        "kek list --store=keyfleet.db",
        "kek list --store=http://h",
        "kek list --store=sqlite:$DIR/typo.db",
        "kek list --store=postgresql://u:pw@h/db",
        "kek list --keyring=Main",
        "kek list --keyring=pay",
        "kek list --config=$DIR/none.yaml",
        "kek generate --version=0",
        "kek generate --version=1 --provider=file:$DIR/none",
        "kek generate --version=1 --provider=file:/proc",
        "kek announce",
        "kek announce --version=2",
        "kek announce --version=2x",
        "kek announce --version=2 --provider=file:$DIR/none",
        "kek announce --version=2 --provider=bogus:x",
        "kek announce --version=1 --store=sqlite:/proc/keyfleet.db",
        "kek announce --version=1 --store=sqlite:$DIR/none/keyfleet.db",
        "kek verify",
        "kek verify --target=9",
        "kek verify --target=1",
        "kek verify --target=1 --timeout=5s",
        "kek rotate --from-version=1 --to-version=1",
        "kek rotate --from-version=1 --to-version=2",
        "kek rotate --from-version=1",
        "kek revoke --from-version=1 --to-version=1 --keyring=main",
        "kek pause",
        "kek resume",
        "kek abort",
        "kek rate",
        "kek rate fast",
        "kek rate 5",
        "kek remove --version=9",
        "kek remove --version=9 --destroy --yes",
        "kek remove --version=1",
        "kek withdraw --version=9 --yes",
        "kek withdraw --version=1",
        "kek forget --instance=nobody --yes",
        "kek attest --version=1 --reason='no object of the API is left'",
        "kek hold",
        "kek hold resolve",
        "kek hold resolve --adopt-fence",
        "collection unregister",
        "collection unregister nope",
        "secret get",
        "secret get nothing",
        "secret get 'two words'",
        "secret put b",
        "secret put b --store=sqlite:$DIR/typo.db",
        "secret delete nothing",
        "secret list --keyring=pay",
        "audit list --before=99",
        "audit list --since=yesterday",
        "audit verify --noted=2",
        "server --roles=api",
        "server --listen=127.0.0.1:99999",
        "kms-plugin --listen=tcp://h",
      })
  void mistake_leadsOn(String line) {
    provoke(line);
  }

  @ParameterizedTest
  @ValueSource(strings = {"postgresql://u@127.0.0.1:9/db", "nats://u@127.0.0.1:9"})
  void storeThatIsDown_isNamed(String url) {
    for (String command : List.of("kek list", "kek announce --version=1", "doctor")) {
      CommandResult result = provoke(command + " --store=" + url);
      assertEquals(1, result.exitCode(), result::toString);
      assertTrue(result.err().startsWith("keyfleet: " + url + " does not answer"), result::err);
    }
  }

  @Test
  void mongoThatIsDown_isNamed() {
    CommandResult result = provoke("kek list --store=mongodb://u@127.0.0.1:9/db");
    assertTrue(result.err().contains("mongodb://u@127.0.0.1:9/db"), result::err);
  }

  @Test
  void takenPort_isNamed() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      CommandResult result = provoke("server --listen=" + address);
      assertTrue(result.err().contains(address), result::err);
      assertTrue(remedy(result).endsWith("port 0 picks a free one"), result::err);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "postgresql://u:pw@h/db, postgresql://USER@HOST/DATABASE?password-file=FILE",
    "nats://u:pw@h, nats://USER@HOST?password-file=FILE"
  })
  void passwordInTheFile_getsAHintOfItsScheme(String url, String hint) throws IOException {
    Files.writeString(folder.resolve("keyfleet.yaml"), "store: " + url + "\n");
    String remedy = remedy(provoke("kek list --config=$DIR/keyfleet.yaml"));
    assertEquals("use " + hint + ", or the URL in a variable", remedy);
  }

  @Test
  void wrongBytes_areNamedByTheCommandThatMeetsThem() {
    fleet.environment.put("KEYFLEET_KEK_V1", CliFleet.key(7));
    CommandResult result = provoke("secret get a");
    result.expectErrorStart("keyfleet: this host has a different key for v1: provider env");
    assertEquals(
        "set KEYFLEET_KEK_V1 to the fleet's bytes, and run the same command again", remedy(result));
  }

  @Test
  void missingOrDamagedKey_isNamed() {
    fleet.environment.remove("KEYFLEET_KEK_V1");
    provoke("secret get a").expectErrorStart("keyfleet: a is sealed under v1, which this host");
    fleet.environment.put("KEYFLEET_KEK_V1", "zz");
    provoke("secret get a").expectErrorPart("KEYFLEET_KEK_V1 does not hold a key");
    assertEquals(1, fleet.runWith("x", "secret", "put", "b").exitCode());
  }

  /// A command that changes a fleet creates no store under a mistyped name.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "secret delete a",
        "kek rotate --from-version=1 --to-version=2",
        "kek pause",
        "kek remove --version=1",
        "kek withdraw --version=2 --yes",
        "kek forget --instance=x --yes"
      })
  void mistypedStore_staysAbsent(String line) {
    CommandResult result = provoke(line + " --store=sqlite:$DIR/typo.db");
    assertEquals(1, result.exitCode());
    result.expectErrorStart("keyfleet: there is no Keyfleet store at ");
    assertFalse(Files.exists(folder.resolve("typo.db")));
  }

  @Test
  void secretForAMistypedStore_leavesNothing() {
    Path typo = folder.resolve("typo.db");
    CommandResult result = fleet.runWith("x", "secret", "put", "b", "--store=sqlite:" + typo);
    result.expectExit(1).expectErrorStart("keyfleet: there is no Keyfleet store at " + typo);
    assertFalse(Files.exists(typo));
  }

  @Test
  void announce_createsTheStore() {
    fleet
        .runLine("kek announce --version=1 --store=sqlite:" + folder.resolve("new.db"))
        .expectExit(0);
    assertTrue(Files.exists(folder.resolve("new.db")));
  }

  /// A secret in a second table of another file would be out of the sight of rotations.
  @Test
  void secondRecordsStore_isRefused() {
    CommandResult result =
        fleet.runWith("x", "secret", "put", "b", "--records=sqlite:" + folder.resolve("other.db"));
    assertEquals(1, result.exitCode(), result::toString);
  }
}
