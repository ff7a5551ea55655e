package keyfleet.control.rotation;

import java.security.SecureRandom;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import keyfleet.control.audit.AuditChange;
import keyfleet.control.audit.AuditSummary;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.Sentinel;
import keyfleet.keyring.FleetReadiness.AnyProcesses;
import keyfleet.keyring.FleetReadiness.ExpectedProcesses;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision;
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

/// What operators order of a keyring, from any process: each order reads, decides and compares and
/// sets. Orders drive nothing; a worker does what follows from them.
public final class KeyringOperations {
  /// What an order came to.
  public sealed interface Result {}

  public record Done(Keystore keystore) implements Result {}

  /// It is as ordered already.
  public record Unchanged(Keystore keystore) implements Result {}

  public record Refused(String reason) implements Result {}

  /// Lost races for the keystore before the operator is told so.
  private static final int MAX_TRIES = 5;

  private static final String WORKER = "worker";

  private final KeyringStore keyringStore;
  private final CollectionCatalog collectionCatalog;
  private final LoadedKeys keys;
  private final Supplier<String> ids;
  private final SecureRandom random;

  public KeyringOperations(
      KeyringStore keyringStore,
      CollectionCatalog collectionCatalog,
      LoadedKeys keys,
      Supplier<String> ids,
      SecureRandom random) {
    this.keyringStore = keyringStore;
    this.collectionCatalog = collectionCatalog;
    this.keys = keys;
    this.ids = ids;
    this.random = random;
  }

  /// Makes a version known whose bytes this process holds. On an empty keyring version 1 makes the
  /// keystore, with this use and these timings; later they stay as they are.
  public Result announce(KekVersion version, Keystore.Use use, Timings timings) {
    String provider = keys.providerByVersion().get(version);
    Optional<Sentinel> sentinel = Sentinel.create(keys.cipher(), version, random);
    if (provider == null || sentinel.isEmpty()) {
      return new Refused("this process does not hold " + version);
    }
    VersionEntry announced = new VersionEntry(provider, sentinel.get(), VersionState.ANNOUNCED);
    return keyringStore.readKeystore().isPresent()
        ? change("announce " + version, keystore -> keystore.announce(version, announced))
        : bootstrap(version, announced, use, timings);
  }

  private Result bootstrap(
      KekVersion version, VersionEntry first, Keystore.Use use, Timings timings) {
    if (version.number() != 1) {
      return new Refused("a keyring begins with v1, not " + version);
    }
    var identity = new Keystore.Identity(ids.get(), nextIncarnation(), use);
    Keystore keystore = Keystore.bootstrap(identity, first, timings);
    return keyringStore.create(keystore, "announce " + version)
        ? new Done(keystore)
        : new Refused("another process has just made the keystore");
  }

  /// Above whatever fenced a collection of this keyring before its keystore was lost.
  private long nextIncarnation() {
    return 1
        + collectionCatalog.open().reachable().stream()
            .flatMap(collection -> collection.readFence().stream())
            .mapToLong(fence -> fence.term().incarnation())
            .max()
            .orElse(0);
  }

  public Result rotate(KekVersion from, KekVersion to) {
    return start(Kind.ROTATION, from, to, new AnyProcesses());
  }

  /// Tries the gate and every record's data key, and leaves all as it was.
  public Result dryRun(KekVersion from, KekVersion to) {
    return start(Kind.DRY_RUN, from, to, new AnyProcesses());
  }

  /// For a compromised version: records are encrypted anew, and it never comes back.
  public Result revoke(KekVersion from, KekVersion to) {
    return start(Kind.REVOCATION, from, to, new AnyProcesses());
  }

  /// `expected` goes with the order: whichever worker drives it, the gate asks for them.
  public Result start(
      Kind kind, KekVersion from, KekVersion to, ExpectedProcesses expectedProcesses) {
    StartRequested operation =
        new StartRequested(
            new RotationId(ids.get()), kind, from, to, expectedProcesses, RotationJob.NO_DRIVER);
    return change(
        AuditSummary.of(operation),
        keystore ->
            hasWorker(keystore)
                ? keystore.decide(operation)
                : new KeystoreDecision.Refused(
                    "no worker was heard of lately: nobody would drive it"));
  }

  private boolean hasWorker(Keystore keystore) {
    Timings timings = keystore.timings();
    return keyringStore.readRoster(timings).fresh(timings.fresh()).stream()
        .anyMatch(heartbeat -> heartbeat.process().role().contains(WORKER));
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

  /// `what` is for the audit.
  Result change(String summary, Function<Keystore, KeystoreDecision> keystoreDecision) {
    return retry(storedKeystore ->
        write(storedKeystore, keystoreDecision.apply(storedKeystore.keystore()), summary));
  }

  /// Says in the audit what is about to be done, and changes nothing.
  Result writeIntent(String summary, AuditChange change) {
    return retry(storedKeystore ->
        keyringStore.writeIntent(storedKeystore, summary, change)
            ? Optional.of(new Done(storedKeystore.keystore()))
            : Optional.empty());
  }

  /// Each try reads and decides anew. A keystore that is behind a fence takes no order: it may not
  /// know what it has forgotten.
  private Result retry(Function<StoredKeystore, Optional<Result>> operation) {
    for (int i = 0; i < MAX_TRIES; i++) {
      StoredKeystore storedKeystore = keyringStore.readKeystore().orElse(null);
      if (storedKeystore == null) {
        return new Refused("the keyring has no keystore yet");
      }
      Optional<SafeHold> hold = collectionCatalog.open().findSafeHold(storedKeystore.keystore());
      Optional<Result> result =
          hold.isPresent()
              ? refuseInSafeHold(storedKeystore, hold.get())
              : operation.apply(storedKeystore);
      if (result.isPresent()) {
        return result.get();
      }
    }
    return new Refused("others keep changing the keystore; try again");
  }

  /// Nothing if the keystore has changed since: the fence may be ahead of what was read, and not of
  /// what is there.
  private Optional<Result> refuseInSafeHold(StoredKeystore storedKeystore, SafeHold hold) {
    return keyringStore.isUnchanged(storedKeystore)
        ? Optional.of(new Refused("safe hold: " + hold.reason()))
        : Optional.empty();
  }

  /// Nothing if another was faster.
  private Optional<Result> write(
      StoredKeystore storedKeystore, KeystoreDecision keystoreDecision, String summary) {
    return switch (keystoreDecision) {
      case KeystoreDecision.Accepted(Keystore next) ->
          keyringStore.replace(storedKeystore, next, summary)
              ? Optional.of(new Done(next))
              : Optional.empty();
      case KeystoreDecision.Ignored() -> Optional.of(new Unchanged(storedKeystore.keystore()));
      case KeystoreDecision.Refused(String reason) -> Optional.of(new Refused(reason));
    };
  }
}
