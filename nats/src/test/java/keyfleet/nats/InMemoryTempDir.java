package keyfleet.nats;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/// Creates temporary folders in memory if possible: on a disk, a server that syncs each write takes
/// minutes for 100,000 keys. No test needs the data to survive a power failure.
final class InMemoryTempDir implements TempDirFactory {
  private static final Path IN_MEMORY = Path.of("/dev/shm");

  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
      throws IOException {
    return Files.isWritable(IN_MEMORY)
        ? Files.createTempDirectory(IN_MEMORY, "keyfleet-nats")
        : Files.createTempDirectory("keyfleet-nats");
  }
}
