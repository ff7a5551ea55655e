package keyfleet.it.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The repository in which this test runs, and its text files.
public final class Repository {
  /// A file, known by its path from the root.
  record TextFile(String path, String text) {
    String name() {
      return path.substring(path.lastIndexOf('/') + 1);
    }

    String folder() {
      return path.substring(0, path.lastIndexOf('/') + 1);
    }
  }

  /// A file without an extension is a script.
  private static final Pattern TEXT =
      Pattern.compile("(.*/)?([^/.]+|[^/]+\\.(java|md|sh|xml|ya?ml|py|go|tsx?))");

  /// What .gitignore names, and the folder of git.
  private static final Pattern IGNORED =
      Pattern.compile("target/.*|(.*/)?(\\.git|\\.idea|\\.vscode|\\.cifuzz-corpus|__pycache__)/.*");

  private Repository() {}

  static List<TextFile> read() {
    Path root = root();
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(Files::isRegularFile)
          .map(file -> root.relativize(file).toString())
          .filter(IGNORED.asMatchPredicate().negate())
          .filter(TEXT.asMatchPredicate())
          .map(path -> new TextFile(path, text(root.resolve(path))))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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

  /// Bytes that are not UTF-8 are replaced.
  private static String text(Path file) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
