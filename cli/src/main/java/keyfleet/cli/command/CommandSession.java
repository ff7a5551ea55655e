package keyfleet.cli.command;

import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Function;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.control.Failpoints;
import keyfleet.control.audit.AuditContext;
import keyfleet.control.rewrap.StoreConnections;
import keyfleet.control.rotation.CollectionCatalog;
import keyfleet.control.rotation.ConflictRetry;
import keyfleet.control.rotation.FleetOperations;
import keyfleet.control.rotation.HoldOperations;
import keyfleet.control.rotation.KeyringOperations;
import keyfleet.control.rotation.KeyringStore;
import keyfleet.control.rotation.ReadinessVerifier;
import keyfleet.control.rotation.RemovalOperations;
import keyfleet.control.rotation.SecretAuditWriter;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.SafeHold;
import keyfleet.member.document.CollectionRegistry;
import keyfleet.member.document.KeystoreStore.StoredKeystore;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.providers.Ticker;
import keyfleet.store.Kv;
import picocli.CommandLine.ParseResult;

/// The open store and the keys of this host during one command, and the operations on a keyring.
///
/// A session is a member of the fleet without a heartbeat. A command writes its request to the
/// store, and workers execute it. The command may therefore end at any time.
public record CommandSession(
    KeyringName keyring,
    ProviderContext runtime,
    StoreConnections storeConnections,
    HostKeys keys,
    KeyringStore keyringStore)
    implements AutoCloseable {
  /// 128 bits, so that ids and nonces never repeat.
  private static final int ID_BYTES = 16;

  public static CommandSession open(
      ParseResult parsed, KeyringName keyring, CommandContext context) {
    return open(parsed, keyring, context, StoreConnections::kv);
  }

  /// For a command that lists and decides nothing: what it reads may lag.
  static CommandSession openForListing(
      ParseResult parsed, KeyringName keyring, CommandContext context) {
    return open(parsed, keyring, context, StoreConnections::kvForPages);
  }

  private static CommandSession open(
      ParseResult parsed,
      KeyringName keyring,
      CommandContext context,
      Function<StoreConnections, Kv> toKv) {
    ProviderContext runtime = context.runtime().get();
    HostKeys keys = new HostKeys(keyring, runtime, () -> KeyOptions.providers(parsed, runtime));
    AuditContext auditContext = context.operator().get().auditContext(runtime.environment());
    StoreConnections storeConnections = StoreOptions.open(parsed, context);
    KeyringStore keyringStore =
        new KeyringStore(
            keyring,
            toKv.apply(storeConnections),
            () -> newId(runtime),
            Failpoints.NONE,
            auditContext);
    return new CommandSession(keyring, runtime, storeConnections, keys, keyringStore);
  }

  public Ticker ticker() {
    return runtime.ticker();
  }

  private static String newId(ProviderContext runtime) {
    byte[] bytes = new byte[ID_BYTES];
    runtime.random().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  public Optional<Keystore> findKeystore() {
    return keyringStore.keystores().read().map(StoredKeystore::keystore);
  }

  public Keystore requireKeystore() {
    return findKeystore()
        .orElseThrow(() ->
            new CommandException(
                "keyring " + keyring + " has no key yet",
                "keyfleet kek announce --version=1" + KeyOptions.keyringFlag(keyring)));
  }

  public ReadinessVerifier readinessVerifier() {
    return new ReadinessVerifier(keyringStore, keys.load());
  }

  public CollectionRegistry collectionRegistry() {
    return new CollectionRegistry(storeConnections.kv(), () -> newId(runtime));
  }

  /// Operations that need no key of this host.
  public KeyringOperations keyringOperations() {
    return keyringOperations(keys.empty());
  }

  public KeyringOperations keyringOperations(LoadedKeys loadedKeys) {
    return new KeyringOperations(
        keyringStore,
        collectionCatalog(),
        loadedKeys,
        () -> newId(runtime),
        runtime.random(),
        conflictRetry());
  }

  public RemovalOperations removalOperations() {
    return new RemovalOperations(keyringStore, collectionCatalog(), keyringOperations());
  }

  public FleetOperations fleetOperations() {
    return new FleetOperations(keyringStore, collectionCatalog(), keyringOperations());
  }

  public HoldOperations holdOperations() {
    return new HoldOperations(
        keyringStore, collectionCatalog(), keys.load(), runtime.random(), conflictRetry());
  }

  /// Why nothing may be sealed or changed in this keyring now, as far as this host can read the
  /// fences. Empty if no fence is ahead of the keystore. A keystore that lags would seem to be
  /// held, so it is never read as lists are.
  public Optional<SafeHold> findSafeHold() {
    KeyringStore current =
        new KeyringStore(keyring, storeConnections.kv(), () -> newId(runtime), Failpoints.NONE);
    return new CollectionCatalog(current, storeConnections, Failpoints.NONE).findSafeHold();
  }

  /// The remedy of an operation that was refused: a safe hold must be resolved before anything
  /// else.
  public String remedyOfRefusal(String otherwise) {
    return findSafeHold().isPresent() ? holdRemedy(keyring) : otherwise;
  }

  public static String holdRemedy(KeyringName keyring) {
    return "keyfleet kek hold show" + KeyOptions.keyringFlag(keyring);
  }

  public SecretAuditWriter secretAuditWriter() {
    return new SecretAuditWriter(keyringOperations());
  }

  public ConflictRetry conflictRetry() {
    return new ConflictRetry(runtime.ticker(), runtime.random());
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
