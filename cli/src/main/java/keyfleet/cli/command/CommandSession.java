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
  private final ProviderContext runtime;
  private final StoreConnections storeConnections;
  private final HostKeys keys;
  private final KeyringStore keyringStore;

  private CommandSession(
      KeyringName keyring,
      ProviderContext runtime,
      StoreConnections storeConnections,
      HostKeys keys,
      AuditContext author) {
    this.keyring = keyring;
    this.runtime = runtime;
    this.storeConnections = storeConnections;
    this.keys = keys;
    this.keyringStore =
        new KeyringStore(keyring, storeConnections.kv(), this::newId, Failpoints.NONE, author);
  }

  public static CommandSession open(
      ParseResult parsed, KeyringName keyring, CommandContext context) {
    ProviderContext runtime = context.runtime().get();
    HostKeys keys = new HostKeys(keyring, runtime, () -> KeyOptions.providers(parsed, runtime));
    AuditContext author = context.operator().get().author(runtime.environment());
    return new CommandSession(keyring, runtime, StoreOptions.open(parsed, context), keys, author);
  }

  public KeyringName keyring() {
    return keyring;
  }

  public StoreConnections storeConnections() {
    return storeConnections;
  }

  public HostKeys keys() {
    return keys;
  }

  public KeyringStore keyringStore() {
    return keyringStore;
  }

  public Ticker ticker() {
    return runtime.ticker();
  }

  String newId() {
    byte[] bytes = new byte[ID_BYTES];
    runtime.random().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  public Optional<Keystore> findKeystore() {
    return keyringStore.readKeystore().map(StoredKeystore::keystore);
  }

  public Keystore requireKeystore() {
    return findKeystore()
        .orElseThrow(() ->
            new CommandException(
                "keyring " + keyring + " has no key yet", "keyfleet kek announce --version=1"));
  }

  public ReadinessVerifier readinessVerifier() {
    return new ReadinessVerifier(keyringStore, keys.load());
  }

  public CollectionRegistry collectionRegistry() {
    return new CollectionRegistry(storeConnections.kv(), this::newId);
  }

  /// Orders that need no key of this host.
  public KeyringOperations rotationOrders() {
    return rotationOrders(keys.empty());
  }

  public KeyringOperations rotationOrders(LoadedKeys loadedKeys) {
    return new KeyringOperations(
        keyringStore, collectionCatalog(), loadedKeys, this::newId, runtime.random());
  }

  public RemovalOperations removalOrders() {
    return new RemovalOperations(keyringStore, collectionCatalog(), rotationOrders());
  }

  public SecretAuditWriter secretOrders() {
    return new SecretAuditWriter(rotationOrders());
  }

  private CollectionCatalog collectionCatalog() {
    return new CollectionCatalog(keyringStore, storeConnections, Failpoints.NONE);
  }

  @Override
  public void close() {
    keys.close();
    storeConnections.close();
  }
}
