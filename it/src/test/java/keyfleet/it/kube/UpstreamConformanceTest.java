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

/// Kubernetes' own API-server code judges the plugin: what it stores through it, it reads back,
/// cold and warm; it sees a new key, and what is old under it; it notices an outage and its end.
@Timeout(300)
class UpstreamConformanceTest {
  private static final int SECRETS = 1_000;

  @TempDir Path folder = Path.of("");

  @Test
  void plugin_satisfiesTheApiServersOwnCode() {
    try (ControlPlaneNode node = new ControlPlaneNode(folder, Kind.SQLITE.open(folder));
        UpstreamApiServers judge = new UpstreamApiServers(folder, node.encryption())) {
      new ConformanceRun(node, judge).hold();
    }
  }

  /// What ours never does: a judge that does not object to these would prove nothing.
  @ParameterizedTest
  @EnumSource
  void pluginThatLies_isCaught(PluginFault lie) throws IOException {
    Path socket = folder.resolve("kms.sock");
    try (FaultyPlugin _ = new FaultyPlugin(socket, lie);
        UpstreamApiServers judge =
            new UpstreamApiServers(folder, ControlPlaneNode.encryption(folder, socket))) {
      List<String> objections = new ArrayList<>();
      for (String order : List.of("load a", "health a", "write a s text", "load b", "read b s")) {
        String answer = judge.answer(order.split(" "));
        if (answer.startsWith("no ")) {
          objections.add(order + ": " + answer);
        }
      }
      assertEquals(lie == PluginFault.NONE, objections.isEmpty(), objections::toString);
      assertTrue(String.join("\n", objections).contains(lie.objection()), objections::toString);
    }
  }

  /// One after the other, on one control plane whose API servers have names.
  private record ConformanceRun(ControlPlaneNode node, UpstreamApiServers judge) {
    void hold() {
      serverThatWasFirst_findsThePluginAndItsKey();
      String first = manySecrets_costOneCallForEachServer();
      pluginThatWasKilled_opensWhatItSealed(first);
      String second = rotatedKey_makesOldSecretsStale(first);
      outage_stopsWritesInTimeAndReadsNever(second);
    }

    private void serverThatWasFirst_findsThePluginAndItsKey() {
      judge.done("load", "a");
      judge.refused("health", "a");
      judge.refused("write", "a", "early", "text");
      node.startPlugin();
      Await.holds(
          "the server hears that the plugin has no key",
          () -> judge.refused("health", "a").contains("v1 is not loaded in this plugin"),
          node::said);
      judge.refused("write", "a", "early", "text");
      node.give(1);
      awaitHealth("a");
    }

    /// The key_id under which all is stored.
    private String manySecrets_costOneCallForEachServer() {
      String key = judge.done("fill", "a", "" + SECRETS);
      assertEquals("fresh text-7", judge.done("read", "a", "s7"));
      assertEquals("fresh=%d stale=0".formatted(SECRETS), judge.done("list", "a"));
      assertTrue(judge.done("calls", "a").endsWith("encrypt=1 decrypt=0"), node::said);
      judge.done("load", "b");
      awaitHealth("b");
      assertEquals("fresh text-7", judge.done("read", "b", "s7"));
      assertEquals("fresh=%d stale=0".formatted(SECRETS), judge.done("list", "b"));
      assertTrue(judge.done("calls", "b").endsWith("encrypt=1 decrypt=1"), node::said);
      return key;
    }

    /// Two servers have written by now, each with a seed of its own.
    private void pluginThatWasKilled_opensWhatItSealed(String key) {
      assertEquals(key, judge.done("write", "b", "s1", "text-1"));
      node.killPlugin();
      node.startPlugin();
      judge.done("load", "c");
      awaitHealth("c");
      assertEquals("fresh text-1", judge.done("read", "c", "s1"));
      assertEquals("fresh=%d stale=0".formatted(SECRETS), judge.done("list", "c"));
      assertTrue(judge.done("calls", "c").endsWith("decrypt=2"), node::said);
    }

    private String rotatedKey_makesOldSecretsStale(String first) {
      node.startWorker();
      node.give(2);
      node.fleet().run(0, "kek", "announce", "--version=2");
      judge.done("load", "d");
      awaitHealth("d");
      assertEquals(first, judge.done("write", "d", "s2", "text-2"), "announced is not active");
      node.fleet().run(0, "kek", "verify", "--target=2", "--wait", "--timeout=30s");
      Await.holds("a worker is heard of, and drives it", this::isRotationOrdered, node::said);
      Await.holds(
          "a new server writes under another key", () -> !first.equals(written()), node::said);
      String second = written();
      assertEquals("stale text-7", judge.done("read", "e", "s7"));
      Await.holds(
          "a server that was there writes under it",
          () ->
              judge.isDone("health", "a") && judge.done("write", "a", "new", "text").equals(second),
          node::said);
      assertEquals("stale text-7", judge.done("read", "a", "s7"));
      assertEquals("" + SECRETS, judge.done("touch", "a"));
      assertEquals("fresh=%d stale=0".formatted(SECRETS + 1), judge.done("list", "e"));
      assertEquals("0", judge.done("touch", "e"));
      return second;
    }

    /// On a full machine a worker may be late with its heartbeat.
    private boolean isRotationOrdered() {
      var ordered = node.fleet().run("kek", "rotate", "--from-version=1", "--to-version=2");
      assertTrue(ordered.exit() == 0 || ordered.exit() == 2, ordered::toString);
      return ordered.exit() == 0;
    }

    /// Under which key a new server writes. Should the key change between its Status and its
    /// Encrypt, or the machine be too full for an answer in time, it tries again; nothing else may
    /// go wrong.
    private String written() {
      judge.done("load", "e");
      Await.holds(
          "e is healthy",
          () -> {
            String health = judge.answer("health", "e");
            assertTrue(health.equals("ok") || isPassing(health), health);
            return health.equals("ok");
          });
      return judge.done("write", "e", "new", "text");
    }

    private static boolean isPassing(String health) {
      return health.contains("errGen=<nil>") || health.contains("DeadlineExceeded");
    }

    private void outage_stopsWritesInTimeAndReadsNever(String key) {
      node.killPlugin();
      Await.holds("the server sees it", () -> !judge.isDone("health", "a"), node::said);
      assertEquals(key, judge.done("write", "a", "new", "late"));
      judge.done("later", "4m");
      assertTrue(judge.refused("write", "a", "new", "later").contains("expired"));
      assertEquals("fresh late", judge.done("read", "a", "new"));
      node.startPlugin();
      awaitHealth("a");
      assertEquals(key, judge.done("write", "a", "new", "again"));
      assertNotEquals("fresh late", judge.done("read", "a", "new"));
    }

    private void awaitHealth(String server) {
      Await.holds(server + " is healthy", () -> judge.isDone("health", server), node::said);
    }
  }
}
