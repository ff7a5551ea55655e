package keyfleet.it.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import keyfleet.it.architecture.Repository;
import keyfleet.it.process.Shell;
import keyfleet.it.process.TestProcess;
import keyfleet.it.process.TestProcess.JavaProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// Checks the systemd unit and the pod of the plugin: both start the same command, and it runs.
@Timeout(120)
public class PackagingTest {
  private static final Path FOLDER = Repository.root().resolve("packaging");
  public static final Path POD = FOLDER.resolve("keyfleet-kms-plugin.yaml");
  private static final Path UNIT = FOLDER.resolve("keyfleet-kms-plugin.service");

  /// The exposure of a unit as systemd rates it, in tenths: 100 is fully exposed.
  private static final int MAX_EXPOSURE = 20;

  private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  @TempDir Path folder = Path.of("");

  @Test
  void unitAndPod_startTheSameCommand() throws IOException {
    assertEquals(words(unit()), words(pod()));
  }

  @Test
  void unitsCommand_servesASocketThatOnlyItsUserMayUse() throws IOException {
    Files.createDirectory(folder.resolve("run"), PRIVATE);
    Files.createDirectory(folder.resolve("keys"), PRIVATE);
    Path socket = folder.resolve("run/kms.sock");
    Map<String, String> environment =
        Map.of(
            "KEYFLEET_STORE", "sqlite:" + folder.resolve("fleet.db"),
            "KEYFLEET_PROVIDER", "file:" + folder.resolve("keys"));
    try (TestProcess plugin = TestProcess.start(folder, "plugin", environment, program())) {
      String _ = plugin.awaitLine("serving KMS v2 at unix://" + socket);
      assertEquals(
          "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)));
      assertNotEquals(
          0, attachExit(plugin.pid()), "a debugger can attach to a process that holds keys");
      assertEquals(128 + 15, plugin.stop(), plugin.output());
      assertFalse(Files.exists(socket), "the socket is still there");
    }
  }

  @Test
  void unit_passesSystemdsSecurityCheck() {
    Shell shell = new Shell(folder, Map.of());
    assumeTrue(shell.run("systemd-analyze --version").exit() == 0, "needs systemd-analyze");
    Shell.Result security =
        shell.run(
            "systemd-analyze security --no-pager --offline=true --threshold=%d %s"
                .formatted(MAX_EXPOSURE, UNIT));
    assertEquals(0, security.exit(), () -> String.join("\n", security.out()));
  }

  private static List<String> unit() throws IOException {
    String text = Files.readString(UNIT).replace("\\\n", " ");
    String command =
        text.lines().filter(it -> it.startsWith("ExecStart=")).findFirst().orElseThrow();
    return List.of(command.substring("ExecStart=".length()).strip().split("\\s+"));
  }

  private static List<String> pod() throws IOException {
    Object read = new Load(LoadSettings.builder().build()).loadFromString(Files.readString(POD));
    List<?> containers = (List<?>) in(in(read, "spec"), "containers");
    assertEquals(1, containers.size());
    return ((List<?>) in(containers.getFirst(), "command")).stream().map(String::valueOf).toList();
  }

  private static Object in(Object map, String key) {
    Object value = ((Map<?, ?>) map).get(key);
    assertTrue(value != null, () -> key + " is missing from " + map);
    return value;
  }

  /// The command without the program's path, with options separated from their values.
  private static List<String> words(List<String> command) {
    List<String> words = new ArrayList<>();
    for (String word : command.subList(1, command.size())) {
      boolean isOurs = words.contains("kms-plugin");
      words.addAll(isOurs ? List.of(word.split("=", 2)) : List.of(word));
    }
    return words;
  }

  /// The unit's command, with the folders of this test and this build.
  private JavaProgram program() throws IOException {
    List<String> words =
        words(unit()).stream()
            .map(it -> it.replace("/run/keyfleet", folder.resolve("run").toString()))
            .map(it -> it.replace("/var/lib/keyfleet", folder.resolve("data").toString()))
            .map(it -> it.replace("/opt/keyfleet/lib", app().toString()))
            .map(it -> it.replace(":9460", ":0"))
            .toList();
    int main = words.indexOf("keyfleet.cli.Main");
    return new JavaProgram(
        words.subList(0, main), words.get(main), words.subList(main + 1, words.size()));
  }

  private static Path app() {
    return Path.of(System.getProperty("keyfleet.out"), "keyfleet-cli", "app");
  }

  private int attachExit(long pid) {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    return new Shell(folder, Map.of()).run(jcmd + " " + pid + " VM.version").exit();
  }
}
