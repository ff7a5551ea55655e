package keyfleet.bench;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import keyfleet.control.Failpoints;
import keyfleet.control.audit.AuditedKeystoreStore;
import keyfleet.control.rewrap.BatchExecutor;
import keyfleet.control.rewrap.CollectionOpener;
import keyfleet.control.rotation.CollectionCatalog;
import keyfleet.control.rotation.ConflictRetry;
import keyfleet.control.rotation.KeyringOperations;
import keyfleet.control.rotation.KeyringStore;
import keyfleet.control.rotation.ReadinessVerifier;
import keyfleet.control.rotation.RotationLoop;
import keyfleet.control.rotation.SecretAuditWriter;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.SecretBytes;
import keyfleet.crypto.SoftwareKek;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Heartbeat.ProcessInfo;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Timings;
import keyfleet.member.document.CollectionRegistry;
import keyfleet.member.heartbeat.Membership;
import keyfleet.member.heartbeat.ProcessIdentity;
import keyfleet.member.keys.CryptoMetrics;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.providers.KekProvider;
import keyfleet.providers.Ticker;
import keyfleet.store.Kv;

/// The only process of the measured fleet: it sends heartbeats, starts rotations and drives them,
/// as `keyfleet server` does. It holds versions 1 and 2 with random keys.
final class BenchWorker {
  static final KekVersion V1 = new KekVersion(1);
  static final KekVersion V2 = new KekVersion(2);

  private final SecureRandom random = new SecureRandom();
  private final Kv kv;
  private final LongSupplier clock;
  private final LoadedKeys keys;
  private final Membership membership;
  private long nonces;

  BenchWorker(Kv kv, LongSupplier clock) {
    this.kv = kv;
    this.clock = clock;
    this.keys =
        new LoadedKeys(KeyringName.MAIN, List.of(provider()), random, new CryptoMetrics(clock));
    keys.refresh();
    ProcessIdentity identity =
        new ProcessIdentity(
            new ProcessInfo("worker-1", "run-1", "worker", "bench"),
            ProcessIdentity.PROTOCOL,
            null);
    this.membership =
        new Membership(identity, new Membership.StoreAccess(kv, this::nonce), keys, Map::of, clock);
  }

  /// Makes version 1 active and announces version 2.
  void bootstrap(Timings timings) {
    membership.runRound();
    KeyringOperations operations = operations(_ -> Optional.empty());
    requireDone(operations.announce(V1, Keystore.Use.RECORDS, timings));
    requireDone(operations.announce(V2, Keystore.Use.RECORDS, timings));
    heartbeat();
  }

  /// Sends two heartbeats: the second one shows the epoch that the first round has read.
  void heartbeat() {
    membership.runRound();
    membership.runRound();
  }

  void register(CollectionRegistration registration) {
    new CollectionRegistry(kv, this::nonce).register(registration);
  }

  void rotate(CollectionOpener opener) {
    requireDone(operations(opener).rotate(V1, V2));
  }

  RotationLoop loop(CollectionOpener opener, BatchExecutor executor) {
    KeyringStore keyringStore = keyringStore();
    CollectionCatalog catalog =
        new CollectionCatalog(keyringStore, opener, executor, Integer.MAX_VALUE, Failpoints.NONE);
    return new RotationLoop("worker-1", keyringStore, catalog, keys, clock);
  }

  SecretAuditWriter auditWriter(CollectionOpener opener) {
    return new SecretAuditWriter(operations(opener));
  }

  /// The keystore and its audit; a writer of its own.
  AuditedKeystoreStore keystores() {
    return keystores(kv);
  }

  AuditedKeystoreStore keystores(Kv store) {
    return new KeyringStore(KeyringName.MAIN, store, this::nonce, Failpoints.NONE).keystores();
  }

  ReadinessVerifier readinessVerifier() {
    return new ReadinessVerifier(keyringStore(), keys);
  }

  Keystore keystore() {
    return keyringStore().keystores().read().orElseThrow().keystore();
  }

  EnvelopeCipher cipher() {
    return keys.cipher();
  }

  private KeyringOperations operations(CollectionOpener opener) {
    KeyringStore keyringStore = keyringStore();
    return new KeyringOperations(
        keyringStore,
        new CollectionCatalog(keyringStore, opener, Failpoints.NONE),
        keys,
        this::nonce,
        random,
        new ConflictRetry(new BenchTicker(), random));
  }

  /// A pause takes no time: the only other writer of the keystore is this worker's own loop.
  private static final class BenchTicker implements Ticker {
    private long nanos;

    @Override
    public long nanos() {
      return nanos;
    }

    @Override
    public void pause(Duration duration) {
      nanos += duration.toNanos();
    }
  }

  private static void requireDone(KeyringOperations.Result result) {
    if (!(result instanceof KeyringOperations.Done)) {
      throw new IllegalStateException("the operation failed: " + result);
    }
  }

  private KeyringStore keyringStore() {
    return new KeyringStore(KeyringName.MAIN, kv, this::nonce, Failpoints.NONE);
  }

  private String nonce() {
    return "nonce-" + nonces++;
  }

  private KekProvider provider() {
    KekSet kekSet =
        KekSet.of(
            KeyringName.MAIN,
            IntStream.rangeClosed(1, 2)
                .mapToObj(it ->
                    new SoftwareKek(
                        new KekVersion(it), SecretBytes.random(SoftwareKek.BYTES, random), random))
                .toList());
    return new KekProvider() {
      @Override
      public String name() {
        return "env";
      }

      @Override
      public KekSet load() {
        return kekSet;
      }

      @Override
      public void close() {}
    };
  }
}
