package keyfleet.it.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The repository in which this test runs, and its text files: those that git tracks or would add.
public final class Repository {
  /// A file without an extension is a script.
  private static final Pattern TEXT =
      Pattern.compile("(.*/)?([^/.]+|[^/]+\\.(java|md|sh|xml|ya?ml|py|go|tsx?))");

  private static final Pattern IGNORED =
      Pattern.compile("target/.*|(.*/)?(\\.git|node_modules)/.*");

  private Repository() {}

  static List<SourceFile> read() {
    Path root = root();
    return SourceFile.parse(
        trackedFiles(root)
            .orElseGet(() -> listedFiles(root))
            .filter(TEXT.asMatchPredicate())
            .filter(path -> Files.isRegularFile(root.resolve(path)))
            .map(path -> new SourceFile.Text(path, text(root.resolve(path))))
            .toList());
  }

  public static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.isDirectory(folder.resolve(".mvn"))) {
      folder = folder.getParent();
      if (folder == null) {
        throw new IllegalStateException(
            "no folder above holds .mvn: " + Path.of("").toAbsolutePath());
      }
    }
    return folder;
  }

  /// Includes files that are not added yet, and leaves out ignored files.
  private static Optional<Stream<String>> trackedFiles(Path root) {
    try {
      Process git =
          new ProcessBuilder("git", "ls-files", "-z", "-co", "--exclude-standard")
              .directory(root.toFile())
              .start();
      String listed = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      boolean isListed = git.onExit().join().exitValue() == 0 && !listed.isEmpty();
      return isListed ? Optional.of(Stream.of(listed.split("\0"))) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty(); // no git on this machine
    }
  }

  /// For an unpacked archive without git.
  private static Stream<String> listedFiles(Path root) {
    try (Stream<Path> all = Files.walk(root)) {
      return all
          .map(file -> root.relativize(file).toString())
          .filter(IGNORED.asMatchPredicate().negate())
          .toList()
          .stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(Path file) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
