package keyfleet.it.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import keyfleet.it.kube.FaultyPlugin.PluginFault;
import keyfleet.it.process.Await;
import keyfleet.it.process.TestStores.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Runs Kubernetes' own API-server code against the plugin: it reads back what it stores, with a
/// cold and a warm cache; it notices a new key and stale values, an outage and its end.
@Timeout(300)
class UpstreamConformanceTest {
  private static final int SECRETS = 1_000;

  @TempDir Path folder = Path.of("");

  @Test
  void plugin_satisfiesTheApiServersOwnCode() {
    try (ControlPlaneNode node = new ControlPlaneNode(folder, Kind.SQLITE.open(folder));
        UpstreamApiServers servers =
            new UpstreamApiServers(folder, node.encryptionConfiguration())) {
      new ConformanceRun(node, servers).runAll();
    }
  }

  /// Checks the test itself: upstream's code must report an error for each faulty plugin.
  @ParameterizedTest
  @EnumSource
  void faultyPlugin_isDetected(PluginFault fault) throws IOException {
    Path socket = folder.resolve("kms.sock");
    try (FaultyPlugin _ = new FaultyPlugin(socket, fault);
        UpstreamApiServers servers =
            new UpstreamApiServers(
                folder, ControlPlaneNode.encryptionConfiguration(folder, socket))) {
      List<String> errors = new ArrayList<>();
      for (String command : List.of("load a", "health a", "write a s text", "load b", "read b s")) {
        String answer = servers.send(command.split(" "));
        if (answer.startsWith("no ")) {
          errors.add(command + ": " + answer);
        }
      }
      assertEquals(fault == PluginFault.NONE, errors.isEmpty(), errors::toString);
      assertTrue(String.join("\n", errors).contains(fault.expectedError()), errors::toString);
    }
  }

  /// The steps of the test, in order, on one control plane with several API servers.
  private record ConformanceRun(ControlPlaneNode node, UpstreamApiServers servers) {
    void runAll() {
      serverStartedBeforeThePlugin_usesItWhenItHasAKey();
      String first = manySecrets_costOneCallForEachServer();
      restartedPlugin_decryptsOldSecrets(first);
      String second = rotatedKey_makesOldSecretsStale(first);
      outage_stopsWritesButNoReads(second);
    }

    private void serverStartedBeforeThePlugin_usesItWhenItHasAKey() {
      servers.run("load", "a");
      servers.runRefused("health", "a");
      servers.runRefused("write", "a", "early", "text");
      node.startPlugin();
      Await.until(
          "the server reports that the plugin has no key",
          () -> servers.runRefused("health", "a").contains("v1 is not loaded in this plugin"),
          node::pluginOutput);
      servers.runRefused("write", "a", "early", "text");
      node.giveKey(1);
      awaitHealth("a");
    }

    /// Returns the key_id under which all secrets are stored.
    private String manySecrets_costOneCallForEachServer() {
      String key = servers.run("fill", "a", "" + SECRETS);
      assertEquals("fresh text-7", servers.run("read", "a", "s7"));
      assertEquals("fresh=%d stale=0".formatted(SECRETS), servers.run("list", "a"));
      assertTrue(servers.run("calls", "a").endsWith("encrypt=1 decrypt=0"), node::pluginOutput);
      servers.run("load", "b");
      awaitHealth("b");
      assertEquals("fresh text-7", servers.run("read", "b", "s7"));
      assertEquals("fresh=%d stale=0".formatted(SECRETS), servers.run("list", "b"));
      assertTrue(servers.run("calls", "b").endsWith("encrypt=1 decrypt=1"), node::pluginOutput);
      return key;
    }

    /// Two servers have written, each with its own seed.
    private void restartedPlugin_decryptsOldSecrets(String key) {
      assertEquals(key, servers.run("write", "b", "s1", "text-1"));
      node.killPlugin();
      node.startPlugin();
      servers.run("load", "c");
      awaitHealth("c");
      assertEquals("fresh text-1", servers.run("read", "c", "s1"));
      assertEquals("fresh=%d stale=0".formatted(SECRETS), servers.run("list", "c"));
      assertTrue(servers.run("calls", "c").endsWith("decrypt=2"), node::pluginOutput);
    }

    private String rotatedKey_makesOldSecretsStale(String first) {
      node.startWorker();
      node.giveKey(2);
      node.fleet().run(0, "kek", "announce", "--version=2");
      servers.run("load", "d");
      awaitHealth("d");
      assertEquals(first, servers.run("write", "d", "s2", "text-2"), "announced is not active");
      node.fleet().run(0, "kek", "verify", "--target=2", "--wait", "--timeout=30s");
      Await.until(
          "a worker is in the fleet, and the rotation is started",
          this::tryRotate,
          node::pluginOutput);
      Await.until(
          "a new server writes under another key",
          () -> !first.equals(keyIdOfNewServer()),
          node::pluginOutput);
      String second = keyIdOfNewServer();
      assertEquals("stale text-7", servers.run("read", "e", "s7"));
      Await.until(
          "an old server writes under the new key",
          () ->
              servers.tryRun("health", "a")
                  && servers.run("write", "a", "new", "text").equals(second),
          node::pluginOutput);
      assertEquals("stale text-7", servers.run("read", "a", "s7"));
      assertEquals("" + SECRETS, servers.run("touch", "a"));
      assertEquals("fresh=%d stale=0".formatted(SECRETS + 1), servers.run("list", "e"));
      assertEquals("0", servers.run("touch", "e"));
      return second;
    }

    /// Returns whether the rotation is started: on a busy machine a worker's heartbeat may be late.
    private boolean tryRotate() {
      var rotate = node.fleet().run("kek", "rotate", "--from-version=1", "--to-version=2");
      assertTrue(rotate.exit() == 0 || rotate.exit() == 2, rotate::toString);
      return rotate.exit() == 0;
    }

    /// The key_id under which a new server writes. It tries again if the key changes between Status
    /// and Encrypt, or if the machine is too busy to answer in time; any other error fails the
    /// test.
    private String keyIdOfNewServer() {
      servers.run("load", "e");
      Await.until(
          "e is healthy",
          () -> {
            String health = servers.send("health", "e");
            assertTrue(health.equals("ok") || isTransient(health), health);
            return health.equals("ok");
          });
      return servers.run("write", "e", "new", "text");
    }

    private static boolean isTransient(String health) {
      return health.contains("errGen=<nil>") || health.contains("DeadlineExceeded");
    }

    private void outage_stopsWritesButNoReads(String key) {
      node.killPlugin();
      Await.until(
          "the server reports the outage",
          () -> !servers.tryRun("health", "a"),
          node::pluginOutput);
      assertEquals(key, servers.run("write", "a", "new", "late"));
      servers.run("later", "4m");
      assertTrue(servers.runRefused("write", "a", "new", "later").contains("expired"));
      assertEquals("fresh late", servers.run("read", "a", "new"));
      node.startPlugin();
      awaitHealth("a");
      assertEquals(key, servers.run("write", "a", "new", "again"));
      assertNotEquals("fresh late", servers.run("read", "a", "new"));
    }

    private void awaitHealth(String server) {
      Await.until(
          server + " is healthy", () -> servers.tryRun("health", server), node::pluginOutput);
    }
  }
}
