package keyfleet.cli;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/// The rotation scenario on SQLite; each process opens its own engine.
class SqliteKeyRotationTest implements KeyRotationScenario {
  @TempDir Path folder = Path.of("");

  @Override
  public TestBackend backend() {
    return new SqliteBackend(folder);
  }
}
