package keyfleet.it.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import keyfleet.it.architecture.Repository;
import keyfleet.it.command.Transcript.Step;
import keyfleet.it.process.Shell;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Runs the command as people use it: every transcript, and every `console` block of the README and
/// of docs/how-to.
class TranscriptTest {
  /// A part of every test key; no command may print it.
  private static final String MARKER = "c0ffee";

  private static final List<Path> SOFTHSM_PATHS =
      Stream.of(
              "/usr/lib/softhsm",
              "/usr/lib64/softhsm",
              "/opt/homebrew/lib/softhsm",
              "/usr/local/lib/softhsm")
          .map(folder -> Path.of(folder, "libsofthsm2.so"))
          .toList();

  @TempDir Path folder = Path.of("");
  private Path root = Path.of("");

  static List<Transcript> transcripts() throws IOException {
    Path root = Repository.root();
    try (Stream<Path> files = Files.list(root.resolve("it/src/test/transcripts"));
        Stream<Path> guides = Files.list(root.resolve("docs/how-to"))) {
      Stream<Path> pages = Stream.concat(Stream.of(root.resolve("README.md")), guides.sorted());
      return Stream.concat(files.sorted().map(Transcript::read), pages.map(Transcript::ofMarkdown))
          .toList();
    }
  }

  @BeforeEach
  void putKeyfleetOnThePath() throws IOException {
    root = Files.createDirectory(folder.resolve("bin"));
    Files.createSymbolicLink(root.resolve("keyfleet"), Repository.root().resolve("keyfleet"));
    // The README's commands run in the checkout.
    Files.createSymbolicLink(folder.resolve("keyfleet"), Repository.root().resolve("keyfleet"));
  }

  @ParameterizedTest
  @MethodSource("transcripts")
  void transcript_matchesTheCommand(Transcript transcript) throws IOException {
    Shell shell = new Shell(folder, environment(transcript));
    shell.run("keyfleet --version"); // builds if necessary, and prints that once
    for (Step step : transcript.steps()) {
      check(step, shell.run(step.setting() + step.command()));
    }
  }

  private void check(Step step, Shell.Result result) {
    List<String> out = withoutTestFolder(result.out());
    List<String> err = withoutTestFolder(result.err());
    String actual = "%s%n%s%n%s%nexit %d".formatted(step.command(), out, err, result.exit());
    assertTrue(Transcript.matches(step.out(), out), () -> "standard output: " + actual);
    assertTrue(Transcript.matches(step.err(), err), () -> "standard error: " + actual);
    assertEquals(step.exit(), result.exit(), actual);
    assertFalse((out + " " + err).contains(MARKER), "a key was printed");
  }

  private List<String> withoutTestFolder(List<String> lines) {
    return lines.stream().map(line -> line.replace(folder.toString(), "$DIR")).toList();
  }

  private Map<String, String> environment(Transcript transcript) throws IOException {
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", root + ":" + System.getenv("PATH"));
    environment.put("DIR", folder.toString());
    environment.put("KEY_1", (MARKER + "01").repeat(8));
    environment.put("KEY_2", (MARKER + "02").repeat(8));
    if (transcript.hasCommand("softhsm2-util")) {
      Optional<Path> module = SOFTHSM_PATHS.stream().filter(Files::exists).findFirst();
      assumeTrue(module.isPresent(), "softhsm2 is not installed");
      Path tokens = Files.createDirectory(folder.resolve("tokens"));
      Path conf = folder.resolve("softhsm2.conf");
      Files.writeString(conf, "directories.tokendir = " + tokens + "\nlog.level = ERROR\n");
      environment.put("SOFTHSM2_CONF", conf.toString());
      environment.put("SOFTHSM", module.orElseThrow().toString());
    }
    return environment;
  }

  @Test
  void differentOutput_isCaught() {
    assertFalse(Transcript.matches(List.of("a"), List.of("b")));
    assertFalse(Transcript.matches(List.of(), List.of("b")));
    assertFalse(Transcript.matches(List.of("a … c"), List.of("a b d")));
    assertTrue(Transcript.matches(List.of("a … (c)"), List.of("a b (c)")));
  }
}
