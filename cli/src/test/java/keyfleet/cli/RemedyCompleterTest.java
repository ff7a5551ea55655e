package keyfleet.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import keyfleet.cli.output.Console;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Every `Try:` line that begins like a command can be pasted: it parses, and it is about the fleet
/// of the failed call.
class RemedyCompleterTest {
  private final CliFleet fleet = new CliFleet(new InMemoryBackend());

  private static CommandDispatcher dispatcher() {
    Console console =
        new Console(
            InputStream.nullInputStream(),
            OutputStream.nullOutputStream(),
            new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8),
            StandardCharsets.UTF_8,
            Console.Output.PIPE);
    return new CommandDispatcher(
        console,
        () -> {
          throw new IllegalStateException("parsing needs no settings");
        },
        url -> {
          throw new IllegalStateException("parsing opens no " + url);
        },
        () -> CliFleet.ANNA);
  }

  private static void assertPasteable(String remedy, String origin) {
    assertFalse(remedy.startsWith("-"), () -> origin + ": " + remedy);
    if (remedy.startsWith("keyfleet ")) {
      List<String> words = List.of(remedy.substring("keyfleet ".length()).split(" "));
      assertTrue(dispatcher().canParse(words), () -> origin + ": " + remedy);
    }
  }

  @Test
  void transcripts_haveOnlyRemediesThatParse() throws IOException {
    Path folder = Path.of("../it/src/test/transcripts");
    int count = 0;
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.sorted().toList()) {
        for (String line : Files.readAllLines(file)) {
          if (line.startsWith("! Try: ")) {
            assertPasteable(line.substring("! Try: ".length()), file.toString());
            count++;
          }
        }
      }
    }
    assertTrue(count > 30, "there are no transcripts here");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          kek nope                                   | keyfleet kek --help
          kek verfy --local                          | keyfleet kek verify --local
          kek list -o yaml --store=sqlite:f.db       | keyfleet kek list --store=sqlite:f.db -o json
          kek list --keyring=pay --store=sqlite:f.db | keyfleet kek announce --version=1 --keyring=pay --store=sqlite:f.db
          kek list --store=sqlite:f.db               | keyfleet kek announce --version=1 --store=sqlite:f.db
          kek rotate --from-version=2 --to-version=2 --records=sqlite:r.db --store=sqlite:f.db | keyfleet kek list --store=sqlite:f.db --records=sqlite:r.db
          kek remove --undo --destroy --version=1    | leave one of the two out
          kek verify --local --target=1              | add --target=1 to check the fleet, or --local to check the keys of this host
          kek generate --provider=env --version      | keyfleet kek generate --help
          """)
  void remedy_hasTheContextOfTheCall(String call, String remedy) {
    String err = fleet.runLine(call).err();
    assertEquals("Try: " + remedy, err.lines().toList().getLast());
    assertPasteable(remedy, call);
  }

  @Test
  void notReady_namesACommandThatWaits() {
    fleet.announce(1);
    String err = fleet.run("kek", "verify", "--target=1", "--wait").expectExit(2).err();
    assertTrue(err.endsWith("Try: run the same command again, once this has changed\n"), err);
  }

  @Test
  void failure_isAnObjectInJson() {
    assertEquals(
        "{\"error\":\"keyring main has no key yet\",\"remedy\":\"keyfleet kek announce --version=1\","
            + "\"exit_code\":1}\n",
        fleet.run("kek", "list", "-o", "json").expectExit(1).out());
    fleet.announce(1);
    String refused = fleet.run("kek", "pause", "--output=json").expectExit(2).out();
    assertTrue(refused.contains("\"exit_code\":2"), refused);
    String notReady = fleet.run("kek", "verify", "--target=1", "-o", "json").expectExit(2).out();
    assertEquals(1, notReady.lines().count(), notReady);
  }
}
