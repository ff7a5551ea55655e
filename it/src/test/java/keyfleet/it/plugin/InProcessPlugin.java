package keyfleet.it.plugin;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.Sentinel;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionState;
import keyfleet.kms.CallLog;
import keyfleet.kms.KmsPlugin;
import keyfleet.kms.PluginContext;
import keyfleet.kms.grpc.SocketPath;
import keyfleet.kms.localkek.KeyHierarchy;
import keyfleet.kms.localkek.LocalKekLimits;
import keyfleet.member.LocalProcess;
import keyfleet.member.ProcessSettings;
import keyfleet.member.document.KeystoreStore;
import keyfleet.otel.OtlpTracing;
import keyfleet.providers.KekProvider;
import keyfleet.store.FakeKv;
import keyfleet.store.FakeStoreClock;
import org.jspecify.annotations.Nullable;

/// A plugin inside the test's process, at its own socket, with its keys in a [FakeTransit].
final class InProcessPlugin implements AutoCloseable {
  private static final KeyringName KEYRING = new KeyringName("kms");
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /// The log lines of the plugin.
  final List<String> lines = Collections.synchronizedList(new ArrayList<>());

  final FakeTransit transit = new FakeTransit();
  private final Deque<AutoCloseable> open = new ArrayDeque<>(List.of(transit));
  private final Path socket;

  InProcessPlugin(Path folder, KeyHierarchy keyHierarchy, OtlpTracing tracing) throws IOException {
    this.socket = folder.resolve("run/kms.sock");
    KekProvider provider = register(transit.provider(KEYRING, folder));
    FakeKv kv = new FakeKv(new FakeStoreClock());
    new KeystoreStore(kv, KEYRING, () -> "nonce").create(keystore(provider));
    KmsPlugin plugin =
        new KmsPlugin(
            new KmsPlugin.Settings(
                KEYRING,
                SocketPath.parse("unix://" + socket),
                "blue",
                folder.resolve("data"),
                keyHierarchy,
                LocalKekLimits.DEFAULT,
                LIMIT,
                CallLog.ON,
                ProcessSettings.of(Map.of("KEYFLEET_INSTANCE", "plugin-1"), LocalProcess.current()),
                "test"),
            () -> kv,
            List.of(provider),
            new PluginContext(
                System::nanoTime, System::nanoTime, event -> lines.add(event.message()), tracing));
    register(plugin).start();
    awaitHealth(plugin);
  }

  private static Keystore keystore(KekProvider provider) {
    SecureRandom random = new SecureRandom();
    KekVersion first = new KekVersion(1);
    Sentinel sentinel =
        Sentinel.create(new EnvelopeCipher(provider.load(), random), first, random).orElseThrow();
    return Keystore.bootstrap(
        new Keystore.Identity("ring-of-the-test", 1, Keystore.Use.KMS),
        new VersionEntry(provider.name(), sentinel, VersionState.ANNOUNCED),
        Timings.DEFAULT);
  }

  private void awaitHealth(KmsPlugin plugin) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!plugin.health().isHealthy()) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException("never healthy: " + plugin.health() + lines);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  private <T extends AutoCloseable> T register(T one) {
    open.push(one);
    return one;
  }

  /// A client that sends the headers with each call.
  PluginClient client(Map<String, String> headers) {
    return register(new PluginClient(socket, headers));
  }

  @Override
  public void close() {
    RuntimeException failure = null;
    while (!open.isEmpty()) {
      failure = closeOne(open.pop(), failure);
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static @Nullable RuntimeException closeOne(
      AutoCloseable one, @Nullable RuntimeException before) {
    try {
      one.close();
      return before;
    } catch (Exception e) {
      return new IllegalStateException("could not be closed", e);
    }
  }
}
