package keyfleet.it.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import keyfleet.it.architecture.Repository;
import keyfleet.it.process.Shell;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A command that waits and prints nothing ends when the program that reads its pipe has ended.
class ClosedPipeTest {
  @TempDir Path folder = Path.of("");

  @Test
  void waitingCommand_endsWithItsReader() {
    Shell shell =
        new Shell(
            folder,
            Map.of("KEYFLEET_KEK_V1", "01".repeat(32), "KEYFLEET_STORE", "sqlite:fleet.db"));
    String keyfleet = Repository.root().resolve("keyfleet").toString();
    Shell.Result announced = shell.run(keyfleet + " kek announce --version=1");
    assertEquals(0, announced.exit(), announced.toString());
    Shell.Result result =
        shell.run(
            "(timeout 60 %s kek verify --target=1 --wait; echo $? >code) | sleep 3; cat code"
                .formatted(keyfleet));
    assertEquals(List.of("141"), result.out(), result.toString());
  }
}
