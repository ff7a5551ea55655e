package keyfleet.it.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.StatusRuntimeException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import keyfleet.crypto.KeyringName;
import keyfleet.it.process.Await;
import keyfleet.it.process.ProcessFleet;
import keyfleet.it.process.ProcessFleet.KeySource;
import keyfleet.it.process.Shell;
import keyfleet.it.process.TestProcess;
import keyfleet.it.process.TestStores;
import keyfleet.it.process.TestStores.Kind;
import keyfleet.kms.v2.EncryptResponse;
import keyfleet.member.document.KnownPluginRegistry;
import keyfleet.postgres.PostgresEngine;
import keyfleet.store.FaultProxy;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Two plugins of one control plane, as shipped, on one store: what one encrypts the other decrypts
/// at once, also while the fleet flips, and also if it is cut off from the store.
@Timeout(300)
class TwoPluginsTest {
  private static final int FLIPS = 5;

  @TempDir Path folder = Path.of("");

  private ProcessFleet fleet(TestStores stores) {
    ProcessFleet fleet = new ProcessFleet(folder, stores, KeySource.FILE, "kms");
    Integer[] versions = IntStream.rangeClosed(1, FLIPS + 1).boxed().toArray(Integer[]::new);
    List.of(ProcessFleet.OPERATOR, "worker", "plugin-a", "plugin-b")
        .forEach(it -> fleet.giveKeys(it, versions));
    Shell.Result announced =
        fleet.run(ProcessFleet.TIMINGS, "kek", "announce", "--use=kms", "--version=1");
    assertEquals(0, announced.exit(), announced::toString);
    return fleet;
  }

  private Path socket(String plugin) {
    return folder.resolve("run-" + plugin).resolve("kms.sock");
  }

  private void startPlugin(ProcessFleet fleet, String name, Map<String, String> environment) {
    Map<String, String> all = new HashMap<>(environment);
    all.put("KEYFLEET_HOME", folder.resolve("home-" + name).toString());
    TestProcess plugin =
        fleet.start(
            name,
            all,
            ProcessFleet.command(List.of("kms-plugin", "--listen", "unix://" + socket(name))));
    plugin.awaitLine("announces key_id");
  }

  private static void announce(ProcessFleet fleet, int version) {
    fleet.run(0, "kek", "announce", "--version=" + version);
    fleet.run(0, "kek", "verify", "--target=" + version, "--wait", "--timeout=60s");
  }

  /// Returns when every known plugin announces the version.
  private static void flip(ProcessFleet fleet, int version) {
    fleet.run(
        0,
        "kek",
        "rotate",
        "--from-version=" + (version - 1),
        "--to-version=" + version,
        "--wait",
        "--timeout=60s");
  }

  /// Encrypts at one plugin and decrypts at the other at once, in both directions, until it is
  /// stopped.
  private static final class CrossReader implements AutoCloseable {
    private final PluginClient one;
    private final PluginClient other;
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private final Set<String> keyIds = Collections.synchronizedSet(new HashSet<>());
    private final Thread thread = Thread.ofPlatform().unstarted(this::run);
    private volatile int values;
    private volatile boolean isStopped;

    CrossReader(PluginClient one, PluginClient other) {
      this.one = one;
      this.other = other;
      thread.start();
    }

    private void run() {
      for (int i = 0; !isStopped; i++) {
        pass("a-" + i, one, other);
        pass("b-" + i, other, one);
        values = i + 1;
      }
    }

    private void pass(String text, PluginClient from, PluginClient to) {
      try {
        EncryptResponse stored = from.encrypt(text);
        keyIds.add(stored.getKeyId());
        String read = to.decrypt(stored);
        if (!read.equals(text)) {
          failures.add(text + " was read as " + read);
        }
      } catch (StatusRuntimeException e) {
        failures.add(text + ": " + e.getStatus());
      }
    }

    /// Returns after so many more values.
    void await(int more) {
      int until = values + more;
      Await.until(more + " more values are read", () -> values >= until, failures::toString);
    }

    @Override
    public void close() {
      isStopped = true;
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Test
  void fiveFlips_leaveNoMomentInWhichOneCannotReadTheOther() {
    try (ProcessFleet fleet = fleet(Kind.SQLITE.open(folder))) {
      fleet.startServer("worker");
      startPlugin(fleet, "plugin-a", Map.of());
      startPlugin(fleet, "plugin-b", Map.of());
      try (PluginClient one = new PluginClient(socket("plugin-a"));
          PluginClient other = new PluginClient(socket("plugin-b"));
          CrossReader reader = new CrossReader(one, other)) {
        for (int version = 2; version <= FLIPS + 1; version++) {
          announce(fleet, version);
          reader.await(20);
          flip(fleet, version);
          assertEquals(one.keyId(), other.keyId(), "the rotation ended before both had flipped");
          reader.await(20);
        }
        assertEquals(List.of(), reader.failures);
        assertEquals(FLIPS + 1, reader.keyIds.size(), reader.keyIds::toString);
      }
    }
  }

  @Test
  void pluginCutOffFromTheStore_readsWhatWasWrittenAfterTheFlipThatItHolds() {
    TestStores stores = Kind.POSTGRES.open(folder);
    URI url = URI.create(stores.store());
    try (ProcessFleet fleet = fleet(stores);
        FaultProxy proxy = new FaultProxy(url.getHost(), url.getPort())) {
      fleet.startServer("worker");
      startPlugin(fleet, "plugin-a", Map.of());
      startPlugin(
          fleet,
          "plugin-b",
          Map.of(
              "KEYFLEET_STORE",
              stores.store().replace(url.getHost() + ":" + url.getPort(), proxy.address())));
      announce(fleet, 2);
      proxy.cut();
      awaitSilence(fleet);
      fleet.run(2, "kek", "rotate", "--from-version=1", "--to-version=2");
      fleet.run(0, "kek", "forget", "--instance=plugin-b", "--yes");
      fleet.run(0, "kek", "verify", "--target=2");
      try (PluginClient one = new PluginClient(socket("plugin-a"));
          PluginClient cutOff = new PluginClient(socket("plugin-b"))) {
        String before = one.keyId();
        flip(fleet, 2);
        assertNotEquals(before, one.keyId());
        assertEquals(before, cutOff.keyId());
        for (int i = 0; i < 20; i++) {
          assertEquals("after-" + i, cutOff.decrypt(one.encrypt("after-" + i)));
          assertEquals("cut-" + i, one.decrypt(cutOff.encrypt("cut-" + i)));
        }
        proxy.restore();
        Await.until("the plugin has flipped", () -> cutOff.keyId().equals(one.keyId()));
        awaitKnown(stores, "plugin-b");
      }
    }
  }

  private static void awaitKnown(TestStores stores, String instance) {
    try (Engine engine = PostgresEngine.open(StoreUrl.parse(stores.store()))) {
      KnownPluginRegistry registry = new KnownPluginRegistry(engine.kv(), new KeyringName("kms"));
      Await.until(
          "the fleet remembers " + instance,
          () -> registry.list().stream().anyMatch(it -> it.instance().equals(instance)));
    }
  }

  private static void awaitSilence(ProcessFleet fleet) {
    Await.until(
        "the gate waits for the plugin",
        () -> {
          Shell.Result verify = fleet.run("kek", "verify", "--target=2");
          List<String> silent =
              verify.err().stream().filter(it -> it.contains("reason=silent")).toList();
          assertTrue(
              silent.stream().allMatch(it -> it.contains("instance=plugin-b")), verify::toString);
          return verify.exit() == 2 && silent.size() == 1;
        });
  }
}
