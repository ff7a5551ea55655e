package keyfleet.cli.command;

import java.util.HexFormat;
import java.util.Optional;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.control.Failpoints;
import keyfleet.control.audit.AuditContext;
import keyfleet.control.rewrap.StoreConnections;
import keyfleet.control.rotation.CollectionCatalog;
import keyfleet.control.rotation.KeyringOperations;
import keyfleet.control.rotation.KeyringStore;
import keyfleet.control.rotation.ReadinessVerifier;
import keyfleet.control.rotation.RemovalOperations;
import keyfleet.control.rotation.SecretAuditWriter;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.member.document.CollectionRegistry;
import keyfleet.member.document.KeystoreStore.StoredKeystore;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.providers.Ticker;
import picocli.CommandLine.ParseResult;

/// One command's place in the fleet, for its length: the store, the keys of this host, and the
/// orders that can be given. It is a member without heartbeat.
public final class CommandSession implements AutoCloseable {
  /// 128 bits: no two ids or nonces are alike.
  private static final int ID_BYTES = 16;

  private final KeyringName keyring;
  private final ProviderContext around;
  private final StoreConnections stores;
  private final HostKeys keys;
  private final KeyringStore keyringStore;

  private CommandSession(
      KeyringName keyring,
      ProviderContext around,
      StoreConnections stores,
      HostKeys keys,
      AuditContext author) {
    this.keyring = keyring;
    this.around = around;
    this.stores = stores;
    this.keys = keys;
    this.keyringStore = new KeyringStore(keyring, stores.kv(), this::id, Failpoints.NONE, author);
  }

  public static CommandSession open(
      ParseResult parsed, KeyringName keyring, CommandContext office) {
    ProviderContext around = office.around().get();
    HostKeys keys = new HostKeys(keyring, around, () -> KeyOptions.providers(parsed, around));
    AuditContext author = office.operator().get().author(around.environment());
    return new CommandSession(keyring, around, StoreOptions.open(parsed, office), keys, author);
  }

  public KeyringName keyring() {
    return keyring;
  }

  public StoreConnections stores() {
    return stores;
  }

  public HostKeys keys() {
    return keys;
  }

  public KeyringStore keyringStore() {
    return keyringStore;
  }

  public Ticker ticker() {
    return around.ticker();
  }

  String id() {
    byte[] bytes = new byte[ID_BYTES];
    around.random().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  public Optional<Keystore> found() {
    return keyringStore.readKeystore().map(StoredKeystore::keystore);
  }

  public Keystore keystore() {
    return found()
        .orElseThrow(() ->
            new CommandException(
                "keyring " + keyring + " has no key yet", "keyfleet kek announce --version=1"));
  }

  public ReadinessVerifier readinessVerifier() {
    return new ReadinessVerifier(keyringStore, keys.loaded());
  }

  public CollectionRegistry collectionRegistry() {
    return new CollectionRegistry(stores.kv(), this::id);
  }

  /// Orders that need no key of this host.
  public KeyringOperations orders() {
    return orders(keys.none());
  }

  public KeyringOperations orders(LoadedKeys holder) {
    return new KeyringOperations(
        keyringStore, collectionCatalog(), holder, this::id, around.random());
  }

  public RemovalOperations removals() {
    return new RemovalOperations(keyringStore, collectionCatalog(), orders());
  }

  public SecretAuditWriter secrets() {
    return new SecretAuditWriter(orders());
  }

  private CollectionCatalog collectionCatalog() {
    return new CollectionCatalog(keyringStore, stores, Failpoints.NONE);
  }

  @Override
  public void close() {
    keys.close();
    stores.close();
  }
}
