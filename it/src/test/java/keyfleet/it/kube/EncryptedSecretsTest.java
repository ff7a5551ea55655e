package keyfleet.it.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import keyfleet.it.plugin.PackagingTest;
import keyfleet.it.process.TestStores;
import keyfleet.postgres.PostgresTestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A real kube-apiserver on a real etcd encrypts its secrets with the plugin. It reads them after
/// any of the processes is killed (SIGKILL) and restarted, and while Keyfleet's own store is down.
@Timeout(300)
class EncryptedSecretsTest {
  private static final String TEXT = "only-the-api-server-reads-this-";
  private static final int SECRETS = 20;

  @TempDir Path folder = Path.of("");

  @Test
  void killedPart_readsItsSecretsAfterARestart() throws IOException {
    try (PostgresTestServer store = PostgresTestServer.startNew();
        ControlPlaneNode node =
            new ControlPlaneNode(folder, new TestStores.SingleStore(store.url("postgres", "")));
        EtcdServer etcd = new EtcdServer(folder)) {
      node.giveKey(1);
      node.startPlugin();
      try (KubeApiServer server = new KubeApiServer(folder, etcd, node.encryptionConfiguration())) {
        server.awaitReady();
        server.dryRunPod(Files.readString(PackagingTest.POD));
        new Cluster(node, etcd, server).killEachPart(store);
      }
    }
  }

  /// The processes, and the secrets that they store.
  private record Cluster(ControlPlaneNode node, EtcdServer etcd, KubeApiServer server) {
    void killEachPart(PostgresTestServer store) {
      IntStream.range(0, SECRETS).forEach(this::put);
      assertAllThere(SECRETS);

      node.killPlugin();
      node.startPlugin();
      putAndCheck(SECRETS);

      server.restart();
      putAndCheck(SECRETS + 1);

      etcd.restart();
      putAndCheck(SECRETS + 2);

      store.kill();
      node.killPlugin();
      node.startPlugin();
      server.restart();
      putAndCheck(SECRETS + 3);
      assertFalse(etcd.hasOnDisk(TEXT), "a secret's text is on etcd's disk");
    }

    private void putAndCheck(int number) {
      server.awaitReady();
      assertTrue(server.hasHealthyPlugin(), server::output);
      put(number);
      assertAllThere(number + 1);
    }

    private void put(int number) {
      server.put("s" + number, TEXT + number);
    }

    private void assertAllThere(int count) {
      for (int i = 0; i < count; i++) {
        assertEquals(TEXT + i, server.get("s" + i));
        String stored = etcd.value("/registry/secrets/default/s" + i);
        assertTrue(stored.startsWith("k8s:enc:kms:v2:" + ControlPlaneNode.PROVIDER + ":"), stored);
        assertFalse(stored.contains(TEXT), stored);
      }
    }
  }
}
