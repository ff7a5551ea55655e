package keyfleet.cli;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/// The story on the embedded engine, each process with an engine of its own.
class SqliteKeyRotationTest implements KeyRotationScenario {
  @TempDir Path folder = Path.of("");

  @Override
  public TestBackend backend() {
    return new SqliteBackend(folder);
  }
}
