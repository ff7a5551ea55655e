package keyfleet.it.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import keyfleet.it.process.TestProcess;
import keyfleet.store.Document;
import keyfleet.store.Value;
import org.jspecify.annotations.Nullable;

/// The processes of a soak, as shipped: a worker, a plugin and commands of an operator, on one
/// SQLite file, with their KEKs in a [FaultyTransit].
final class SoakFleet implements AutoCloseable {
  /// Slow timings, because the machine is fully loaded.
  private static final Map<String, String> TIMINGS =
      Map.of(
          "KEYFLEET_TIMING_HEARTBEAT", "1s",
          "KEYFLEET_TIMING_FRESH", "5s",
          "KEYFLEET_TIMING_LEASE", "8s",
          "KEYFLEET_TIMING_EXPIRE", "12s",
          "KEYFLEET_TIMING_ADOPT", "3s");

  /// No server listens there.
  private static final String NO_STORE = "postgresql://nobody@127.0.0.1:1/none";

  /// A local KEK reaches its limit of uses several times in a soak, but not immediately.
  private static final String USES = "--local-kek-uses=100000:2000000";

  private final Path folder;
  private final Path launcher;
  private final FaultyTransit transit;
  private final List<TestProcess> started = new ArrayList<>();
  private volatile @Nullable TestProcess plugin;

  /// Creates the keyring with one version and starts a worker.
  SoakFleet(Path folder, Path launcher, FaultyTransit transit) {
    this.folder = folder;
    this.launcher = launcher;
    this.transit = transit;
    placeToken();
    runCommand("kek", "announce", "--use=kms", "--version=1");
    start("worker", Map.of(), "server", "--roles=worker", "--listen=127.0.0.1:0")
        .awaitLine("listening on");
  }

  private Path token() {
    return folder.resolve("token");
  }

  private Path database() {
    return folder.resolve("fleet.db");
  }

  Path socket() {
    return folder.resolve("run/kms.sock");
  }

  private void placeToken() {
    try {
      Files.writeString(token(), "soak");
      Files.setPosixFilePermissions(token(), PosixFilePermissions.fromString("rw-------"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private TestProcess start(String name, Map<String, String> extraEnvironment, String... args) {
    Map<String, String> environment = new HashMap<>(TIMINGS);
    environment.put("KEYFLEET_STORE", "sqlite:" + database());
    environment.put("KEYFLEET_PROVIDER", "vault:" + transit.url() + "?token-file=" + token());
    environment.put("KEYFLEET_HOME", folder.resolve("home").toString());
    environment.put("KEYFLEET_KEYRING", "kms");
    environment.put("KEYFLEET_INSTANCE", name);
    environment.putAll(extraEnvironment);
    List<String> command = new ArrayList<>(List.of(launcher.toString()));
    command.addAll(List.of(args));
    TestProcess process = TestProcess.startCommand(folder, name, environment, command);
    started.add(process);
    return process;
  }

  /// Runs a command that must succeed.
  List<String> runCommand(String... args) {
    TestProcess command = start("operator", Map.of(), args);
    int exit = command.await();
    if (exit != 0) {
      throw new SoakFailure(
          "%s ended with exit %d:%s".formatted(String.join(" ", args), exit, command.output()));
    }
    return command.out();
  }

  /// The phase of the rotation.
  String phase() {
    List<String> output = runCommand("kek", "status", "-o", "json");
    return Document.parse(Value.of(output.getLast())).text("phase");
  }

  void startPlugin() {
    startPlugin(Map.of());
  }

  void startPluginWithoutStore() {
    startPlugin(Map.of("KEYFLEET_STORE", NO_STORE));
  }

  private void startPlugin(Map<String, String> extraEnvironment) {
    TestProcess process =
        start(
            "plugin",
            extraEnvironment,
            "kms-plugin",
            "--listen=unix://" + socket(),
            "--remote-probe=2s",
            USES);
    plugin = process;
    process.awaitLine("serving KMS v2 at");
  }

  private TestProcess plugin() {
    TestProcess current = plugin;
    if (current == null) {
      throw new IllegalStateException("no plugin yet");
    }
    return current;
  }

  void killPlugin() {
    plugin().kill();
  }

  void stopPlugin() {
    int exit = plugin().stop();
    if (exit != 143) {
      throw new SoakFailure("SIGTERM ended the plugin with exit " + exit + plugin().output());
    }
  }

  /// The resident memory of the plugin in bytes; zero while it is down.
  long resident() {
    TestProcess current = plugin;
    if (current == null || !current.isAlive()) {
      return 0;
    }
    try {
      return Files.readAllLines(Path.of("/proc/" + current.pid() + "/status")).stream()
          .filter(it -> it.startsWith("VmRSS:"))
          .mapToLong(it -> 1024 * Long.parseLong(it.replaceAll("\\D", "")))
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      return 0; // the process has just ended
    }
  }

  String pluginOutput() {
    TestProcess current = plugin;
    return current == null ? "" : current.output();
  }

  /// Blocks all writes to the store until the returned connection is closed.
  Connection lockStore() throws SQLException {
    Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database());
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA busy_timeout=10000");
      statement.execute("BEGIN IMMEDIATE");
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  @Override
  public void close() {
    started.forEach(TestProcess::close);
  }
}
