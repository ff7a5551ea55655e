package keyfleet.it.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import keyfleet.it.process.Await;
import keyfleet.it.process.ProcessFleet;
import keyfleet.it.process.TestProcess;
import keyfleet.kms.v2.EncryptResponse;
import keyfleet.store.Document;
import keyfleet.store.Value;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Runs a KMS plugin as shipped, with a worker and an operator on one store: through a rotation,
/// and through its own kill and restart without the store.
@Timeout(300)
class PluginProcessTest {
  private static final String KEYRING_OPTION = "--keyring=kms";

  /// No server listens there.
  private static final String NO_STORE = "postgresql://nobody@127.0.0.1:1/none";

  @TempDir Path folder = Path.of("");
  private final List<TestProcess> started = new ArrayList<>();

  @BeforeEach
  void placeKeys() throws IOException {
    Files.createDirectory(folder.resolve("keys"));
    for (int version = 1; version <= 2; version++) {
      Path file = folder.resolve("keys/kms.v" + version + ".key");
      Files.writeString(file, ProcessFleet.key(version));
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }
  }

  @AfterEach
  void endAll() {
    started.forEach(TestProcess::close);
  }

  private Path socket() {
    return folder.resolve("run/kms.sock");
  }

  private TestProcess start(String name, Map<String, String> extraEnvironment, String... args) {
    Map<String, String> environment = new HashMap<>(ProcessFleet.TIMINGS);
    environment.put("KEYFLEET_STORE", "sqlite:" + folder.resolve("fleet.db"));
    environment.put("KEYFLEET_PROVIDER", "file:" + folder.resolve("keys"));
    environment.put("KEYFLEET_HOME", folder.resolve("home").toString());
    environment.put("KEYFLEET_INSTANCE", name);
    environment.putAll(extraEnvironment);
    TestProcess process =
        TestProcess.start(folder, name, environment, ProcessFleet.command(List.of(args)));
    started.add(process);
    return process;
  }

  private TestProcess plugin(String name, Map<String, String> extraEnvironment) {
    TestProcess plugin = start(name, extraEnvironment, "kms-plugin", "--listen=unix://" + socket());
    plugin.awaitLine("announces key_id");
    return plugin;
  }

  private TestProcess runCommand(int exit, String... args) {
    TestProcess command = start("operator", Map.of(), args);
    assertEquals(exit, command.await(), command::output);
    return command;
  }

  private Document status() {
    return Document.parse(
        Value.of(runCommand(0, "kek", "status", KEYRING_OPTION, "-o", "json").out().getLast()));
  }

  @Test
  void pluginUnderARotation_losesNothing_andReturnsWithoutItsStore() {
    runCommand(0, "kek", "announce", "--use=kms", "--version=1");
    TestProcess plugin = plugin("plugin-1", Map.of());
    EncryptResponse old;
    EncryptResponse now;
    try (PluginClient client = new PluginClient(socket())) {
      old = client.encrypt("old");
      assertEquals(client.keyId(), old.getKeyId());
      start("worker-1", Map.of(), "server", "--roles=worker", KEYRING_OPTION)
          .awaitLine("listening on");
      runCommand(0, "kek", "announce", KEYRING_OPTION, "--version=2");
      assertEquals(old.getKeyId(), client.keyId());
      Await.until(
          "all processes are ready for v2",
          () ->
              start("operator", Map.of(), "kek", "verify", KEYRING_OPTION, "--target=2").await()
                  == 0);
      runCommand(0, "kek", "rotate", KEYRING_OPTION, "--from-version=1", "--to-version=2");
      Await.until("proving", () -> status().text("phase").equals("proving"));
      Await.until("the plugin announces v2", () -> !client.keyId().equals(old.getKeyId()));
      now = client.encrypt("new");
      assertNotEquals(old.getKeyId(), now.getKeyId());
      assertEquals("old", client.decrypt(old));
    }
    assertEquals("in_progress", status().text("state"));
    assertTrue(status().text("note").contains("etcd"), status().text("note"));
    TestProcess refused = runCommand(2, "kek", "remove", KEYRING_OPTION, "--version=1", "--yes");
    assertTrue(refused.output().contains("etcd"), refused::output);
    plugin.kill();
    assertRestartsWithoutStore(old, now);
  }

  /// It starts from its snapshot, without a store, at the socket that the killed process left.
  private void assertRestartsWithoutStore(EncryptResponse old, EncryptResponse now) {
    TestProcess again = plugin("plugin-2", Map.of("KEYFLEET_STORE", NO_STORE));
    try (PluginClient client = new PluginClient(socket())) {
      assertEquals(now.getKeyId(), client.keyId());
      assertEquals("old", client.decrypt(old));
      assertEquals("new", client.decrypt(now));
      assertEquals("more", client.decrypt(client.encrypt("more")));
    }
    again.awaitLine("cannot join the fleet");
    assertEquals(143, again.stop(), again::output);
    assertFalse(Files.exists(socket()), "the socket is still there");
  }

  @Test
  void invalidOptions_printOneSentence() {
    TestProcess bad = start("bad-1", Map.of(), "kms-plugin", "--listen=tcp://localhost:1");
    assertEquals(1, bad.await(), bad::output);
    assertTrue(bad.output().contains("--listen unix:///"), bad::output);
    TestProcess limits = start("bad-2", Map.of(), "kms-plugin", "--local-kek-uses=5000000:5000000");
    assertEquals(1, limits.await(), limits::output);
    assertTrue(limits.output().contains("soft <= hard <= 4194303"), limits::output);
  }
}
