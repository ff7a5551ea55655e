package keyfleet.control.rotation;

import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import keyfleet.control.audit.AuditChange;
import keyfleet.control.audit.AuditSummary;
import keyfleet.control.audit.AuditedKeystoreStore;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.Sentinel;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision;
import keyfleet.keyring.ReadinessGate.AnyProcesses;
import keyfleet.keyring.ReadinessGate.ExpectedProcesses;
import keyfleet.keyring.RotationEvent;
import keyfleet.keyring.RotationEvent.StartRequested;
import keyfleet.keyring.RotationId;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.RotationJob.Kind;
import keyfleet.keyring.SafeHold;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionState;
import keyfleet.member.document.KeystoreStore.StoredKeystore;
import keyfleet.member.keys.LoadedKeys;
import org.jspecify.annotations.Nullable;

/// The operations of an operator on a keyring, from any process. Each reads the keystore, decides,
/// and writes with compare-and-set. A worker drives the rotation that follows.
public final class KeyringOperations {
  /// The result of an operation.
  public sealed interface Result {}

  public record Done(Keystore keystore) implements Result {}

  /// The keystore is already in the requested state.
  public record Unchanged(Keystore keystore) implements Result {}

  public record Refused(List<String> reasons) implements Result {
    public Refused {
      reasons = List.copyOf(reasons);
    }

    public Refused(String reason) {
      this(List.of(reason));
    }

    /// All reasons in one line.
    public String reason() {
      return String.join("; ", reasons);
    }
  }

  /// Other processes changed the keystore before each attempt, until the time limit.
  public record Contended() implements Result {}

  private static final String WORKER = "worker";

  /// Every reader of JSON keeps smaller numbers exactly.
  private static final long MAX_INCARNATION = 1L << 53;

  private final KeyringStore keyringStore;
  private final AuditedKeystoreStore keystores;
  private final CollectionCatalog collectionCatalog;
  private final LoadedKeys keys;
  private final Supplier<String> ids;
  private final SecureRandom random;
  private final ConflictRetry conflictRetry;

  /// The last keystore that was behind no fence.
  private volatile @Nullable StoredKeystore checkedKeystore;

  public KeyringOperations(
      KeyringStore keyringStore,
      CollectionCatalog collectionCatalog,
      LoadedKeys keys,
      Supplier<String> ids,
      SecureRandom random,
      ConflictRetry conflictRetry) {
    this.keyringStore = keyringStore;
    this.keystores = keyringStore.keystores();
    this.collectionCatalog = collectionCatalog;
    this.keys = keys;
    this.ids = ids;
    this.random = random;
    this.conflictRetry = conflictRetry;
  }

  /// Registers a new version, whose key this process must hold. On an empty keyring version 1
  /// creates the keystore with this use and these timings, which do not change later.
  public Result announce(KekVersion version, Keystore.Use use, Timings timings) {
    String provider = keys.providerByVersion().get(version);
    Optional<Sentinel> sentinel = Sentinel.create(keys.cipher(), version, random);
    if (provider == null || sentinel.isEmpty()) {
      return new Refused(version + " is not loaded in this process");
    }
    VersionEntry announced = new VersionEntry(provider, sentinel.get(), VersionState.ANNOUNCED);
    return retryConflicts(() ->
        keystores.read().isPresent()
            ? tryChange("announce " + version, keystore -> keystore.announce(version, announced))
            : tryBootstrap(version, announced, use, timings));
  }

  /// Empty if another process has just created the keystore, or the outcome is unknown.
  private Optional<Result> tryBootstrap(
      KekVersion version, VersionEntry first, Keystore.Use use, Timings timings) {
    if (version.number() != 1) {
      return Optional.of(new Refused("the first version of a keyring is v1, not " + version));
    }
    Optional<String> fenced = collectionCatalog.open().describeForeignFence();
    if (fenced.isPresent()) {
      return Optional.of(new Refused(fenced.get()));
    }
    var identity = new Keystore.Identity(ids.get(), random.nextLong(1, MAX_INCARNATION), use);
    Keystore keystore = Keystore.bootstrap(identity, first, timings);
    return keystores.create(keystore, "announce " + version)
        ? Optional.of(new Done(keystore))
        : Optional.empty();
  }

  public Result rotate(KekVersion from, KekVersion to) {
    return start(Kind.ROTATION, from, to, new AnyProcesses());
  }

  /// Checks the gate and the data key of each record, and changes nothing.
  public Result dryRun(KekVersion from, KekVersion to) {
    return start(Kind.DRY_RUN, from, to, new AnyProcesses());
  }

  /// For a compromised version: records are encrypted again under new data keys, and the version is
  /// disabled for good.
  public Result revoke(KekVersion from, KekVersion to) {
    return start(Kind.REVOCATION, from, to, new AnyProcesses());
  }

  /// The expected processes are stored with the rotation, so the gate of any driver checks for
  /// them.
  public Result start(
      Kind kind, KekVersion from, KekVersion to, ExpectedProcesses expectedProcesses) {
    StartRequested operation =
        new StartRequested(
            new RotationId(ids.get()), kind, from, to, expectedProcesses, RotationJob.NO_DRIVER);
    return change(
        AuditSummary.of(operation),
        keystore ->
            hasFreshWorker(keystore)
                ? keystore.decide(operation)
                : new KeystoreDecision.Refused(
                    "no worker is fresh, so no process would drive the rotation"));
  }

  /// Whether a fresh process could drive a rotation.
  public boolean hasFreshWorker(Keystore keystore) {
    Timings timings = keystore.timings();
    return keyringStore.readRoster(timings).fresh(timings.fresh()).stream()
        .anyMatch(heartbeat -> heartbeat.process().role().contains(WORKER));
  }

  /// Takes back an announcement before anything is sealed under the version.
  public Result withdraw(KekVersion version) {
    return change("withdraw " + version, keystore -> keystore.withdraw(version));
  }

  /// Records the operator's word that no object of `cluster` in etcd needs `version`.
  public Result attest(KekVersion version, String cluster, String reason) {
    return change(
        "attest that cluster %s does not need %s: %s".formatted(cluster, version, reason),
        keystore -> keystore.attest(version, cluster));
  }

  /// The clusters for which an operator attests.
  public List<String> clustersToAttest(Keystore keystore) {
    return collectionCatalog.open().clustersToAttest(keystore);
  }

  public Result pause() {
    return decide(new RotationEvent.PauseRequested());
  }

  public Result resume() {
    return decide(new RotationEvent.ResumeRequested());
  }

  public Result abort() {
    return decide(new RotationEvent.AbortRequested());
  }

  private Result decide(RotationEvent operation) {
    return change(AuditSummary.of(operation), keystore -> keystore.decide(operation));
  }

  /// `summary` is for the audit.
  Result change(String summary, Function<Keystore, KeystoreDecision> decider) {
    return retryConflicts(() -> tryChange(summary, decider));
  }

  private Optional<Result> tryChange(String summary, Function<Keystore, KeystoreDecision> decider) {
    return tryOperation(
        storedKeystore -> write(storedKeystore, decider.apply(storedKeystore.keystore()), summary));
  }

  private Result retryConflicts(Supplier<Optional<Result>> attempt) {
    return conflictRetry.run(attempt).orElseGet(Contended::new);
  }

  /// Audits what the process is about to do; the keystore stays as it is. The fences of all
  /// collections are compared with a keystore once: a process may audit many changes while the
  /// keystore stays the same.
  Result writeIntent(String summary, List<AuditChange> changes) {
    StoredKeystore checked = checkedKeystore;
    if (checked != null && keystores.isUnchanged(checked) && tryWrite(checked, summary, changes)) {
      return new Done(checked.keystore());
    }
    return retryConflicts(() ->
        tryOperation(storedKeystore -> {
          checkedKeystore = storedKeystore;
          return tryWrite(storedKeystore, summary, changes)
              ? Optional.of(new Done(storedKeystore.keystore()))
              : Optional.empty();
        }));
  }

  private boolean tryWrite(
      StoredKeystore storedKeystore, String summary, List<AuditChange> changes) {
    return keystores.writeIntent(storedKeystore, summary, changes);
  }

  /// Each attempt reads and decides again. A keystore that is behind a fence refuses all
  /// operations: it may have lost changes.
  private Optional<Result> tryOperation(Function<StoredKeystore, Optional<Result>> operation) {
    StoredKeystore storedKeystore = keystores.read().orElse(null);
    if (storedKeystore == null) {
      return Optional.of(new Refused("the keyring has no keystore; announce version 1 first"));
    }
    Optional<SafeHold> hold = collectionCatalog.open().findSafeHold(storedKeystore.keystore());
    return hold.isPresent()
        ? refuseInSafeHold(storedKeystore, hold.get())
        : operation.apply(storedKeystore);
  }

  /// Empty if the keystore has changed since it was read: then the fence may be ahead of that read
  /// only.
  private Optional<Result> refuseInSafeHold(StoredKeystore storedKeystore, SafeHold hold) {
    return keystores.isUnchanged(storedKeystore)
        ? Optional.of(new Refused("safe hold: " + hold.reason()))
        : Optional.empty();
  }

  /// Empty if another process was faster.
  private Optional<Result> write(
      StoredKeystore storedKeystore, KeystoreDecision decision, String summary) {
    return switch (decision) {
      case KeystoreDecision.Accepted(Keystore next) ->
          keystores.replace(storedKeystore, next, summary)
              ? Optional.of(new Done(next))
              : Optional.empty();
      case KeystoreDecision.Ignored() -> Optional.of(new Unchanged(storedKeystore.keystore()));
      case KeystoreDecision.Refused(var reasons) -> Optional.of(new Refused(reasons));
    };
  }
}
