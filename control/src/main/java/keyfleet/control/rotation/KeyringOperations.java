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
  private static final int TRIES = 5;

  private static final String WORKER = "worker";

  private final KeyringStore ring;
  private final CollectionCatalog shelves;
  private final LoadedKeys keys;
  private final Supplier<String> ids;
  private final SecureRandom random;

  public KeyringOperations(
      KeyringStore ring,
      CollectionCatalog shelves,
      LoadedKeys keys,
      Supplier<String> ids,
      SecureRandom random) {
    this.ring = ring;
    this.shelves = shelves;
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
    return ring.keystore().isPresent()
        ? changed("announce " + version, keystore -> keystore.announce(version, announced))
        : bootstrap(version, announced, use, timings);
  }

  private Result bootstrap(
      KekVersion version, VersionEntry first, Keystore.Use use, Timings timings) {
    if (version.number() != 1) {
      return new Refused("a keyring begins with v1, not " + version);
    }
    var identity = new Keystore.Identity(ids.get(), nextIncarnation(), use);
    Keystore keystore = Keystore.bootstrap(identity, first, timings);
    return ring.create(keystore, "announce " + version)
        ? new Done(keystore)
        : new Refused("another process has just made the keystore");
  }

  /// Above whatever fenced a collection of this keyring before its keystore was lost.
  private long nextIncarnation() {
    return 1
        + shelves.stock().shelves().stream()
            .flatMap(shelf -> shelf.fence().stream())
            .mapToLong(fence -> fence.term().incarnation())
            .max()
            .orElse(0);
  }

  public Result rotate(KekVersion from, KekVersion to) {
    return start(Kind.ROTATION, from, to, new AnyProcesses());
  }

  /// Tries the gate and every record's data key, and leaves all as it was.
  public Result rehearse(KekVersion from, KekVersion to) {
    return start(Kind.DRY_RUN, from, to, new AnyProcesses());
  }

  /// For a compromised version: records are encrypted anew, and it never comes back.
  public Result revoke(KekVersion from, KekVersion to) {
    return start(Kind.REVOCATION, from, to, new AnyProcesses());
  }

  /// `expected` goes with the order: whichever worker drives it, the gate asks for them.
  public Result start(
      Kind kind, KekVersion from, KekVersion to, ExpectedProcesses expectedProcesses) {
    StartRequested order =
        new StartRequested(
            new RotationId(ids.get()), kind, from, to, expectedProcesses, RotationJob.NO_DRIVER);
    return changed(
        AuditSummary.of(order),
        keystore ->
            hasWorker(keystore)
                ? keystore.decide(order)
                : new KeystoreDecision.Refused(
                    "no worker was heard of lately: nobody would drive it"));
  }

  private boolean hasWorker(Keystore keystore) {
    Timings timings = keystore.timings();
    return ring.roster(timings).fresh(timings.fresh()).stream()
        .anyMatch(beat -> beat.process().role().contains(WORKER));
  }

  public Result pause() {
    return ordered(new RotationEvent.PauseRequested());
  }

  public Result resume() {
    return ordered(new RotationEvent.ResumeRequested());
  }

  public Result abort() {
    return ordered(new RotationEvent.AbortRequested());
  }

  private Result ordered(RotationEvent order) {
    return changed(AuditSummary.of(order), keystore -> keystore.decide(order));
  }

  /// `what` is for the audit.
  Result changed(String what, Function<Keystore, KeystoreDecision> keystoreDecision) {
    return tried(storedKeystore ->
        written(storedKeystore, keystoreDecision.apply(storedKeystore.keystore()), what));
  }

  /// Says in the audit what is about to be done, and changes nothing.
  Result intended(String what, AuditChange change) {
    return tried(storedKeystore ->
        ring.note(storedKeystore, what, change)
            ? Optional.of(new Done(storedKeystore.keystore()))
            : Optional.empty());
  }

  /// Each try reads and decides anew. A keystore that is behind a fence takes no order: it may not
  /// know what it has forgotten.
  private Result tried(Function<StoredKeystore, Optional<Result>> order) {
    for (int i = 0; i < TRIES; i++) {
      StoredKeystore storedKeystore = ring.keystore().orElse(null);
      if (storedKeystore == null) {
        return new Refused("the keyring has no keystore yet");
      }
      Optional<SafeHold> hold = shelves.stock().hold(storedKeystore.keystore());
      Optional<Result> answer =
          hold.isPresent() ? refused(storedKeystore, hold.get()) : order.apply(storedKeystore);
      if (answer.isPresent()) {
        return answer.get();
      }
    }
    return new Refused("others keep changing the keystore; try again");
  }

  /// Nothing if the keystore has changed since: the fence may be ahead of what was read, and not of
  /// what is there.
  private Optional<Result> refused(StoredKeystore storedKeystore, SafeHold hold) {
    return ring.isStill(storedKeystore)
        ? Optional.of(new Refused("safe hold: " + hold.reason()))
        : Optional.empty();
  }

  /// Nothing if another was faster.
  private Optional<Result> written(
      StoredKeystore storedKeystore, KeystoreDecision keystoreDecision, String what) {
    return switch (keystoreDecision) {
      case KeystoreDecision.Accepted(Keystore next) ->
          ring.replace(storedKeystore, next, what) ? Optional.of(new Done(next)) : Optional.empty();
      case KeystoreDecision.Ignored() -> Optional.of(new Unchanged(storedKeystore.keystore()));
      case KeystoreDecision.Refused(String reason) -> Optional.of(new Refused(reason));
    };
  }
}
