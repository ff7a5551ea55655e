package keyfleet.server;

import static org.junit.jupiter.api.Assertions.fail;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import keyfleet.control.Failpoints;
import keyfleet.control.audit.AuditActor;
import keyfleet.control.audit.AuditContext;
import keyfleet.control.rewrap.CollectionOpener;
import keyfleet.control.rotation.CollectionCatalog;
import keyfleet.control.rotation.ConflictRetry;
import keyfleet.control.rotation.KeyringOperations;
import keyfleet.control.rotation.KeyringStore;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Timings;
import keyfleet.member.LocalProcess;
import keyfleet.member.ProcessSettings;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.providers.KekProvider;
import keyfleet.providers.ProviderSpec;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.providers.Ticker;
import keyfleet.server.EventLog.Format;
import keyfleet.sqlite.SqliteEngine;
import keyfleet.store.CollectionShape;
import keyfleet.store.Kv;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreUrl;

/// Servers on one SQLite file, and the operations of an operator on it.
final class ServerFixture implements AutoCloseable {
  static final Timings TIMINGS =
      new Timings(
          Duration.ofMillis(200),
          Duration.ofSeconds(2),
          Duration.ofSeconds(3),
          Duration.ofSeconds(4),
          Duration.ofSeconds(1));
  static final CollectionShape ORDERS =
      new CollectionShape("orders", "id", new TreeSet<>(List.of("card")));

  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
  private static final SecureRandom RANDOM = new SecureRandom();

  final Engine engine;
  private final Deque<Server> servers = new ArrayDeque<>();
  private final ByteArrayOutputStream logged = new ByteArrayOutputStream();
  private final Map<String, String> keys = new HashMap<>();
  KeyringSelection keyrings = KeyringSelection.of(KeyringName.MAIN);

  ServerFixture(Path folder) {
    engine = SqliteEngine.open(StoreUrl.parse("sqlite:" + folder.resolve("fleet.db")));
    engine.createCollection(ORDERS);
    for (int version = 1; version <= 2; version++) {
      keys.put(
          "KEYFLEET_KEK_V" + version,
          ("%02x".formatted(version) + "5eed").repeat(11).substring(0, 64));
      keys.put(
          "KEYFLEET_KEK_OTHER_V" + version,
          ("%02x".formatted(version) + "07ed").repeat(11).substring(0, 64));
    }
  }

  String log() {
    return logged.toString(StandardCharsets.UTF_8);
  }

  Server server(String name, Role... roles) {
    return server(
        name, engine.kv(), new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), roles);
  }

  Server server(String name, Kv kv, InetSocketAddress listen, Role... roles) {
    ProcessSettings process =
        ProcessSettings.of(
            Map.of("KEYFLEET_INSTANCE", name), new LocalProcess("host", 7, Instant.EPOCH));
    Server server =
        new Server(
            new Server.Settings(
                keyrings, Set.of(roles), process, "0.1.0", listen, RateLimit.UNLIMITED),
            new Server.Resources(
                kv,
                engine.storeChecks(),
                collectionOpener(),
                keyring -> List.of(provider(keyring)),
                List.of(new Server.RecordCollection(KeyringName.MAIN, "sqlite", engine, ORDERS))),
            new AuditContext(
                new AuditActor("tester", "host", name), InstantSource.fixed(Instant.EPOCH)),
            new EventLog(
                new PrintStream(logged, true, StandardCharsets.UTF_8),
                Format.TEXT,
                InstantSource.fixed(Instant.EPOCH),
                name,
                "main"),
            Failpoints.NONE);
    servers.push(server);
    return server;
  }

  private CollectionOpener collectionOpener() {
    return registration -> Optional.of(engine.records(ORDERS));
  }

  private KekProvider provider(KeyringName keyring) {
    ProviderContext context = new ProviderContext(keys, RANDOM, new NoTicker());
    return ProviderSpec.parse("env").open(keyring, context);
  }

  KeyringOperations operations() {
    return operations(KeyringName.MAIN);
  }

  KeyringOperations operations(KeyringName keyring) {
    KeyringStore keyringStore =
        new KeyringStore(keyring, engine.kv(), ServerFixture::nonce, Failpoints.NONE);
    LoadedKeys loadedKeys = loadedKeys(keyring);
    return new KeyringOperations(
        keyringStore,
        new CollectionCatalog(keyringStore, collectionOpener(), Failpoints.NONE),
        loadedKeys,
        ServerFixture::nonce,
        RANDOM,
        new ConflictRetry(new NoTicker(), RANDOM));
  }

  LoadedKeys loadedKeys(KeyringName keyring) {
    LoadedKeys loadedKeys = new LoadedKeys(keyring, List.of(provider(keyring)), RANDOM);
    loadedKeys.refresh();
    return loadedKeys;
  }

  KeyringStore keyringStore() {
    return new KeyringStore(KeyringName.MAIN, engine.kv(), ServerFixture::nonce, Failpoints.NONE);
  }

  void announce(int version) {
    operations().announce(new KekVersion(version), Keystore.Use.RECORDS, TIMINGS);
  }

  private static String nonce() {
    return Long.toHexString(RANDOM.nextLong());
  }

  /// The address in the log of the last server.
  String address() {
    String line = log().lines().filter(it -> it.contains("listening on")).toList().getLast();
    return line.substring(line.lastIndexOf(' ') + 1);
  }

  record Reply(int status, String body) {}

  Reply request(String method, String path) {
    try {
      var connection =
          (HttpURLConnection) URI.create("http://" + address() + path).toURL().openConnection();
      connection.setRequestMethod(method);
      int status = connection.getResponseCode();
      try (var in = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
        String body = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        return new Reply(status, body);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void await(String event, BooleanSupplier condition) {
    for (long waited = 0; !condition.getAsBoolean(); waited += POLL_INTERVAL.toNanos()) {
      if (waited > TIMEOUT.toNanos()) {
        fail(event + " did not happen; log:\n" + log());
      }
      LockSupport.parkNanos(POLL_INTERVAL.toNanos());
    }
  }

  @Override
  public void close() {
    while (!servers.isEmpty()) {
      servers.pop().close();
    }
    engine.close();
  }

  private static final class NoTicker implements Ticker {
    @Override
    public long nanos() {
      return System.nanoTime();
    }

    @Override
    public void pause(Duration duration) {
      throw new IllegalStateException("this test never pauses");
    }
  }
}
