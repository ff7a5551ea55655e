package keyfleet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import keyfleet.it.architecture.Repository;
import keyfleet.it.process.Shell;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Opens the golden envelopes with a Python program that shares no code with Keyfleet.
class IndependentOpenerTest {
  private static final String PYTHON = "KEYFLEET_TEST_PYTHON";

  @TempDir Path folder = Path.of("");

  private Shell.Result open(Path golden) {
    String python = System.getenv().getOrDefault(PYTHON, "");
    assumeTrue(!python.isEmpty(), PYTHON + " is not set: no Python with the cryptography package");
    Path script = Repository.root().resolve("it/open_envelope.py");
    return new Shell(folder, Map.of()).run(python + " " + script + " " + golden);
  }

  static List<Path> golden() throws IOException {
    try (Stream<Path> files =
        Files.list(Repository.root().resolve("crypto/src/test/resources/golden"))) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("golden")
  void goldenEnvelopes_openInPython(Path golden) throws IOException {
    long lines = Files.readAllLines(golden).stream().filter(l -> !l.startsWith("#")).count();
    assertEquals(
        new Shell.Result(0, List.of(lines + " envelopes have the expected results"), List.of()),
        open(golden));
  }

  @ParameterizedTest
  @MethodSource("golden")
  void alteredEnvelope_isCaught(Path golden) throws IOException {
    String text = Files.readString(golden).replaceFirst("plaintext=31", "plaintext=32");
    Path altered = Files.writeString(folder.resolve("altered.txt"), text);
    assertNotEquals(0, open(altered).exit());
  }
}
