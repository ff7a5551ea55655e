package keyfleet.it.process;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import keyfleet.control.rewrap.CollectionOpener;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.member.ProcessSettings;
import keyfleet.mongodb.MongoEngine;
import keyfleet.nats.NatsEngine;
import keyfleet.postgres.PostgresEngine;
import keyfleet.providers.KekProvider;
import keyfleet.providers.ProviderSpec;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.providers.SystemTicker;
import keyfleet.server.RateLimit;
import keyfleet.server.Role;
import keyfleet.server.Server;
import keyfleet.sqlite.SqliteEngine;
import keyfleet.store.CollectionShape;
import keyfleet.store.Records;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreUrl;

/// Opens what a test process needs from its environment: the same variables that the command reads.
public final class TestWiring implements CollectionOpener, AutoCloseable {
  static final KeyringName KEYRING = KeyringName.MAIN;

  /// The collection that the test applications use.
  public static final CollectionShape ORDERS =
      new CollectionShape("orders", "id", new TreeSet<>(List.of("card", "note")));

  private final SecureRandom random = new SecureRandom();
  private final StoreUrl recordsUrl;
  private final Engine store;
  private final Engine records;
  private final List<KekProvider> providers = new ArrayList<>();

  public TestWiring(Map<String, String> environment) {
    System.setProperty("slf4j.internal.verbosity", "ERROR");
    String storeText = environment.getOrDefault("KEYFLEET_STORE", "");
    String recordsText = environment.getOrDefault("KEYFLEET_RECORDS", storeText);
    this.recordsUrl = StoreUrl.parse(recordsText);
    this.store = openEngine(StoreUrl.parse(storeText));
    this.records = recordsText.equals(storeText) ? store : openEngine(recordsUrl);
    ProviderContext context = new ProviderContext(environment, random, new SystemTicker());
    Stream.of(environment.getOrDefault("KEYFLEET_PROVIDER", "env").split(","))
        .map(it -> ProviderSpec.parse(it).open(KEYRING, context))
        .forEach(providers::add);
  }

  private static Engine openEngine(StoreUrl url) {
    return switch (url.scheme()) {
      case "sqlite" -> SqliteEngine.open(url);
      case "postgresql" -> PostgresEngine.open(url);
      case "mongodb" -> MongoEngine.open(url);
      case "nats" -> NatsEngine.open(url);
      default -> throw new IllegalArgumentException("no engine opens " + url);
    };
  }

  Engine store() {
    return store;
  }

  Engine records() {
    return records;
  }

  String recordsEngine() {
    return recordsUrl.scheme();
  }

  List<KekProvider> providers() {
    return providers;
  }

  SecureRandom random() {
    return random;
  }

  String nonce() {
    byte[] bytes = new byte[16];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  @Override
  public Optional<Records> open(CollectionRegistration registration) {
    return registration.engine().equals(recordsEngine())
        ? Optional.of(
            records.records(
                new CollectionShape(
                    registration.collection(),
                    registration.idField(),
                    new TreeSet<>(registration.sealedFields()))))
        : Optional.empty();
  }

  /// The settings of a server with the role of a worker.
  static Server.Settings serverSettings(ProcessSettings process, RateLimit rateLimit) {
    return new Server.Settings(
        KEYRING,
        EnumSet.of(Role.WORKER),
        process,
        "0.1.0",
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        rateLimit);
  }

  Server.Resources serverResources() {
    return new Server.Resources(store.kv(), store.storeChecks(), this, providers, List.of());
  }

  @Override
  public void close() {
    providers.forEach(KekProvider::close);
    records.close();
    store.close(); // often the same engine; closing it twice is harmless
  }
}
