package keyfleet.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.stream.Stream;

/// A temporary folder of one run, deleted when it is closed.
record ScratchFolder(Path folder) implements AutoCloseable {
  static ScratchFolder create() throws IOException {
    ScratchFolder scratch = new ScratchFolder(Files.createTempDirectory("keyfleet-bench"));
    // A server that runs as another user passes through this folder to its own.
    Files.setPosixFilePermissions(scratch.folder, PosixFilePermissions.fromString("rwx--x--x"));
    Runtime.getRuntime().addShutdownHook(new Thread(scratch::close));
    return scratch;
  }

  Path subfolder(String name) throws IOException {
    return Files.createDirectories(folder.resolve(name));
  }

  @Override
  public void close() {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException | UncheckedIOException e) {
      System.err.println("bench: " + folder + " is left behind: " + e.getMessage());
    }
  }
}
