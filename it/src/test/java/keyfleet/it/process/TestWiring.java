package keyfleet.it.process;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import keyfleet.cli.config.EngineFactory;
import keyfleet.control.rewrap.StoreConnections;
import keyfleet.crypto.KeyringName;
import keyfleet.member.ProcessSettings;
import keyfleet.providers.KekProvider;
import keyfleet.providers.ProviderSpec;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.providers.SystemTicker;
import keyfleet.server.KeyringSelection;
import keyfleet.server.RateLimit;
import keyfleet.server.Role;
import keyfleet.server.Server;
import keyfleet.store.CollectionShape;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreUrl;

/// Opens what a test process needs from its environment: the same variables that the command reads.
public final class TestWiring implements AutoCloseable {
  static final KeyringName KEYRING = KeyringName.MAIN;

  /// The collection that the test applications use.
  public static final CollectionShape ORDERS =
      new CollectionShape("orders", "id", new TreeSet<>(List.of("card", "note")))
          .withVersionField("kek_version");

  private final SecureRandom random = new SecureRandom();
  private final StoreConnections stores;
  private final Engine records;
  private final List<KekProvider> providers = new ArrayList<>();

  public TestWiring(Map<String, String> environment) {
    String storeText = environment.getOrDefault("KEYFLEET_STORE", "");
    String recordsText = environment.getOrDefault("KEYFLEET_RECORDS", storeText);
    this.stores =
        StoreConnections.open(
            EngineFactory::open, StoreUrl.parse(storeText), StoreUrl.parse(recordsText));
    this.records = stores.recordsEngine();
    ProviderContext context = new ProviderContext(environment, random, new SystemTicker());
    Stream.of(environment.getOrDefault("KEYFLEET_PROVIDER", "env").split(","))
        .map(it -> ProviderSpec.parse(it).open(KEYRING, context))
        .forEach(providers::add);
  }

  StoreConnections stores() {
    return stores;
  }

  Engine records() {
    return records;
  }

  String recordsEngine() {
    return stores.recordsEngineName();
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

  /// The settings of a server with the role of a worker.
  static Server.Settings serverSettings(ProcessSettings process, RateLimit rateLimit) {
    return new Server.Settings(
        KeyringSelection.of(KEYRING),
        EnumSet.of(Role.WORKER),
        process,
        "0.1.0",
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        rateLimit);
  }

  Server.Resources serverResources() {
    return new Server.Resources(
        stores.kv(), stores.storeChecks(), stores, _ -> providers, List.of());
  }

  @Override
  public void close() {
    providers.forEach(KekProvider::close);
    stores.close();
  }
}
