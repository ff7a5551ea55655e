package keyfleet.it.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import keyfleet.it.process.ProcessFleet;
import keyfleet.it.process.ProcessFleet.KeySource;
import keyfleet.it.process.TestProcess;
import keyfleet.it.process.TestStores;
import org.jspecify.annotations.Nullable;

/// The part of Keyfleet that serves one API server: the plugin on its socket, and the fleet behind
/// it.
final class ControlPlaneNode implements AutoCloseable {
  /// The name of the plugin in the API server's configuration and in every stored value.
  static final String PROVIDER = "keyfleet";

  private static final String PLUGIN = "plugin";
  private static final String WORKER = "worker";

  private final ProcessFleet fleet;
  private final Path socket;
  private final Map<String, String> home;
  private @Nullable TestProcess plugin;

  /// Creates the keyring with an active first version. No process runs yet, and only the operator
  /// has the key.
  ControlPlaneNode(Path folder, TestStores stores) {
    this.fleet = new ProcessFleet(folder, stores, KeySource.FILE, "kms");
    this.socket = folder.resolve("run").resolve("kms.sock");
    this.home = Map.of("KEYFLEET_HOME", folder.resolve("home").toString());
    fleet.giveKeys(ProcessFleet.OPERATOR, 1);
    var announced = fleet.run(ProcessFleet.TIMINGS, "kek", "announce", "--use=kms", "--version=1");
    assertEquals(0, announced.exit(), announced::toString);
  }

  /// Gives the key to all processes, which find it without a restart.
  void giveKey(int version) {
    List.of(ProcessFleet.OPERATOR, WORKER, PLUGIN).forEach(it -> fleet.giveKeys(it, version));
  }

  ProcessFleet fleet() {
    return fleet;
  }

  void startPlugin() {
    TestProcess started =
        fleet.start(
            PLUGIN,
            home,
            ProcessFleet.command(List.of("kms-plugin", "--listen", "unix://" + socket)));
    plugin = started;
    started.awaitLine("serving KMS v2 at");
  }

  /// SIGKILL: the socket file stays, and no process answers there.
  void killPlugin() {
    Objects.requireNonNull(plugin, "no plugin yet").kill();
  }

  void startWorker() {
    fleet.startServer(WORKER);
  }

  /// The EncryptionConfiguration of an API server: all secrets go through the plugin.
  Path encryptionConfiguration() {
    return encryptionConfiguration(fleet.folder(), socket);
  }

  /// The timeout is longer than the usual three seconds, because the machine may be busy.
  static Path encryptionConfiguration(Path folder, Path socket) {
    try {
      return Files.writeString(
          folder.resolve("encryption.yaml"),
          """
          apiVersion: apiserver.config.k8s.io/v1
          kind: EncryptionConfiguration
          resources:
          - resources: [secrets]
            providers:
            - kms:
                apiVersion: v2
                name: %s
                endpoint: unix://%s
                timeout: 5s
          """
              .formatted(PROVIDER, socket));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String pluginOutput() {
    return plugin == null ? "no plugin yet" : plugin.output();
  }

  @Override
  public void close() {
    fleet.close();
  }
}
