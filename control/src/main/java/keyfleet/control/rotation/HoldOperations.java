package keyfleet.control.rotation;

import java.security.SecureRandom;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiFunction;
import keyfleet.control.rewrap.CollectionSet;
import keyfleet.control.rotation.KeyringOperations.Contended;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.KeyringOperations.Result;
import keyfleet.control.rotation.KeyringOperations.Unchanged;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.Sentinel;
import keyfleet.keyring.HoldResolution;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.SafeHold;
import keyfleet.keyring.SafeHold.FenceMark;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionState;
import keyfleet.member.document.KeystoreStore.StoredKeystore;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.store.StoreException;
import org.jspecify.annotations.Nullable;

/// Shows and ends the safe hold of a keystore. After a decision the fences of all collections are
/// raised to it; an operation that ended before that can be repeated.
public final class HoldOperations {
  /// What an operator needs to decide.
  ///
  /// @param fences what each collection remembers
  /// @param hold null if no fence is ahead of the keystore
  /// @param unreachable the collections whose fences are unknown; null if there is none
  public record HeldKeystore(
      Keystore keystore,
      SortedMap<String, FenceMark> fences,
      @Nullable SafeHold hold,
      @Nullable String unreachable) {}

  private final KeyringStore keyringStore;
  private final CollectionCatalog collectionCatalog;
  private final LoadedKeys keys;
  private final SecureRandom random;
  private final ConflictRetry conflictRetry;

  /// @param keys make the sentinels of versions that the keystore has lost
  public HoldOperations(
      KeyringStore keyringStore,
      CollectionCatalog collectionCatalog,
      LoadedKeys keys,
      SecureRandom random,
      ConflictRetry conflictRetry) {
    this.keyringStore = keyringStore;
    this.collectionCatalog = collectionCatalog;
    this.keys = keys;
    this.random = random;
    this.conflictRetry = conflictRetry;
  }

  /// Empty if there is no keystore.
  public Optional<HeldKeystore> read() {
    return keyringStore
        .keystores()
        .read()
        .map(StoredKeystore::keystore)
        .map(keystore -> {
          CollectionSet collections = collectionCatalog.open();
          return new HeldKeystore(
              keystore,
              new TreeMap<>(collections.readFenceMarks()),
              collectionCatalog.findSafeHold().orElse(null),
              collections.describeUnreachable().orElse(null));
        });
  }

  public Result adoptFences() {
    return resolve(
        "resolve the hold: adopt the fences",
        (keystore, fences) ->
            HoldResolution.adoptFences(keystore, fences, findLostVersions(keystore, fences)));
  }

  public Result acceptKeystore() {
    return resolve("resolve the hold: accept the keystore", HoldResolution::acceptKeystore);
  }

  private Result resolve(
      String summary, BiFunction<Keystore, Collection<FenceMark>, KeystoreDecision> decider) {
    return conflictRetry.run(() -> tryResolve(summary, decider)).orElseGet(Contended::new);
  }

  /// Empty if another process was faster: the next attempt reads and decides again.
  private Optional<Result> tryResolve(
      String summary, BiFunction<Keystore, Collection<FenceMark>, KeystoreDecision> decider) {
    StoredKeystore stored = keyringStore.keystores().read().orElse(null);
    if (stored == null) {
      return Optional.of(new Refused("the keyring has no keystore"));
    }
    CollectionSet collections = collectionCatalog.open();
    Optional<String> unreachable = collections.describeUnreachable();
    if (unreachable.isPresent()) {
      return Optional.of(new Refused(unreachable.get() + ", so its fence is unknown"));
    }
    Map<String, FenceMark> fences = collections.readFenceMarks();
    if (isUnfinished(stored.keystore(), fences)) {
      raiseFences(collections, stored.keystore());
      return Optional.of(new Unchanged(stored.keystore()));
    }
    return switch (decider.apply(stored.keystore(), fences.values())) {
      case KeystoreDecision.Accepted(Keystore next) -> {
        if (!keyringStore.keystores().replace(stored, next, summary)) {
          yield Optional.empty();
        }
        raiseFences(collections, next);
        yield Optional.of(new Done(next));
      }
      case KeystoreDecision.Ignored() ->
          Optional.of(new Refused("no fence is ahead of the keystore"));
      case KeystoreDecision.Refused(var reasons) -> Optional.of(new Refused(reasons));
    };
  }

  /// Whether an earlier decision was stored, but not all fences were raised to it: the command
  /// ended, or a store stopped answering, in between.
  private static boolean isUnfinished(Keystore keystore, Map<String, FenceMark> fences) {
    return keystore.rotation() instanceof Rotation.Idle
        && SafeHold.check(keystore, fences).isEmpty()
        && fences.values().stream().anyMatch(it -> it.epoch() < keystore.epoch());
  }

  private static void raiseFences(CollectionSet collections, Keystore keystore) {
    collections
        .overrideFences(keystore)
        .ifPresent(it -> {
          throw new StoreException(
              "the keystore is resolved, but %s; run the same command again".formatted(it));
        });
  }

  /// A keystore that was restored from a backup may lack versions that the fences accept. A process
  /// that holds their keys can name them again.
  private Map<KekVersion, VersionEntry> findLostVersions(
      Keystore keystore, Collection<FenceMark> fences) {
    Map<KekVersion, VersionEntry> found = new HashMap<>();
    for (FenceMark fence : fences) {
      for (KekVersion version : fence.writable()) {
        String provider = keys.providerByVersion().get(version);
        if (!keystore.versions().containsKey(version) && provider != null) {
          Sentinel.create(keys.cipher(), version, random)
              .ifPresent(
                  it -> found.put(version, new VersionEntry(provider, it, VersionState.ANNOUNCED)));
        }
      }
    }
    return found;
  }
}
