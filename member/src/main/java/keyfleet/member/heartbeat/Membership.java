package keyfleet.member.heartbeat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Heartbeat.Failed;
import keyfleet.keyring.Heartbeat.LoadedVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.SafeHold;
import keyfleet.keyring.Timings;
import keyfleet.keyring.WriteLease;
import keyfleet.member.MembershipState;
import keyfleet.member.MembershipState.Admitted;
import keyfleet.member.MembershipState.DifferentTimings;
import keyfleet.member.MembershipState.NameTaken;
import keyfleet.member.MembershipState.NoKeystore;
import keyfleet.member.MembershipState.NotJoined;
import keyfleet.member.MissingKeyRemedy;
import keyfleet.member.document.KeystoreStore;
import keyfleet.member.document.KeystoreStore.StoredKeystore;
import keyfleet.member.heartbeat.AdmissionCheck.FenceReading;
import keyfleet.member.heartbeat.HeartbeatWriter.Acknowledged;
import keyfleet.member.heartbeat.HeartbeatWriter.OwnedByOther;
import keyfleet.member.heartbeat.HeartbeatWriter.Unacknowledged;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.store.Kv;
import keyfleet.store.MalformedValueException;
import keyfleet.store.StoreException;
import org.jspecify.annotations.Nullable;

/// Keeps a process in its fleet by rounds: the store acknowledges the heartbeat, *then* the
/// keystore is read, then the process is admitted or not.
///
/// One thread calls [#runRound] every heartbeat; any thread may read the [#state]. The lease counts
/// from the start of the round, on a clock that also counts while the machine sleeps. A round that
/// the store does not answer changes nothing: the lease then ends by itself.
public final class Membership {
  private static final MembershipState NOT_JOINED =
      new NotJoined("this process has not joined the fleet yet");
  private static final MembershipState LEFT = new NotJoined("this process has left the fleet");

  /// Why the last round failed; null if the store answered.
  private volatile @Nullable StoreException lastStoreFailure;

  private final ProcessIdentity identity;
  private final KeystoreStore keystores;
  private final LoadedKeys keys;
  private final HeartbeatWriter writer;
  private final AdmissionCheck admissionCheck;

  /// Nanoseconds, also counted while the machine is suspended.
  private final LongSupplier clock;

  private @Nullable StoredKeystore latest;

  /// The keystore that the last heartbeat was made from.
  private @Nullable StoredKeystore writtenFrom;

  private List<String> providerFaults = List.of();

  /// A remedy for each loaded version whose bytes are not those of the fleet.
  private Map<KekVersion, String> otherBytes = Map.of();

  private final AtomicReference<MembershipState> state = new AtomicReference<>(NOT_JOINED);

  /// Once the process leaves, it seals nothing, even if deleting its heartbeat takes a while.
  private final AtomicBoolean left = new AtomicBoolean();

  /// The version that this process seals under, as its heartbeat says.
  private volatile CurrentVersion currentVersion = Keystore::active;

  /// Tells the version that a process seals under. Null if it seals under none.
  public interface CurrentVersion {
    @Nullable KekVersion of(Keystore keystore);
  }

  /// The store, and the source of nonces for writes to it.
  public record StoreAccess(Kv kv, Supplier<String> nonces) {}

  public Membership(
      ProcessIdentity identity,
      StoreAccess storeAccess,
      LoadedKeys keys,
      Supplier<Map<String, SafeHold.FenceMark>> fences,
      LongSupplier clock) {
    this.identity = identity;
    this.keystores = new KeystoreStore(storeAccess.kv(), keys.keyring(), storeAccess.nonces());
    this.keys = keys;
    this.writer = new HeartbeatWriter(storeAccess.kv(), keys.keyring(), storeAccess.nonces());
    this.admissionCheck = new AdmissionCheck(keys, fences);
    this.clock = clock;
  }

  /// For a process that follows the active version later than it reads it.
  public Membership reportCurrent(CurrentVersion reported) {
    currentVersion = reported;
    return this;
  }

  public MembershipState state() {
    return left.get() ? LEFT : state.get();
  }

  public MembershipState runRound() {
    var _ = tryRound();
    return state.get();
  }

  /// As [#runRound], with everything that the round found.
  HeartbeatResult runDetailedRound() {
    StoreException storeFailure = tryRound();
    HeartbeatResult.Sealing sealing =
        isLeaseHeld() ? HeartbeatResult.Sealing.ENABLED : HeartbeatResult.Sealing.DISABLED;
    return new HeartbeatResult(
        state.get(), sealing, keys.providerByVersion(), otherBytes, providerFaults, storeFailure);
  }

  /// Runs a round. If the store did not answer, returns why; the state then stays and the lease
  /// keeps running.
  private @Nullable StoreException tryRound() {
    long startNanos = clock.getAsLong();
    providerFaults = keys.refresh();
    try {
      state.set(writeHeartbeatThenRead(startNanos));
    } catch (MalformedValueException e) {
      state.set(new NotJoined("the keystore cannot be read: " + e.getMessage()));
    } catch (StoreException e) {
      lastStoreFailure = e;
      return e;
    }
    lastStoreFailure = null;
    return null;
  }

  /// Whether the process may seal at this moment.
  public boolean canSeal() {
    return !left.get() && isLeaseHeld();
  }

  /// The state for people. A process that was admitted and may not seal now says why: its lease
  /// runs out while the store does not answer.
  public String readinessText() {
    StoreException failure = lastStoreFailure;
    MembershipState now = state.get();
    if (canSeal()) {
      return now.description();
    }
    if (failure != null) {
      return "store: " + failure.getMessage();
    }
    if (left.get()) {
      return "stopping";
    }
    return now instanceof Admitted
        ? "the write lease has run out, and no heartbeat has renewed it"
        : now.description();
  }

  private boolean isLeaseHeld() {
    return state.get() instanceof Admitted(Keystore keystore, WriteLease lease)
        && lease.isHeld(clock.getAsLong(), keystore.timings().lease());
  }

  /// Whether the keystore has changed since the last heartbeat was made. A gate may be waiting for
  /// the next one.
  boolean isHeartbeatOutdated() {
    return !Objects.equals(keystore(writtenFrom), keystore(latest));
  }

  private MembershipState writeHeartbeatThenRead(long startNanos) {
    if (latest == null) {
      latest = keystores.read().orElse(null); // for its timings; an old one will do
    }
    Timings timings = timings();
    Optional<MembershipState> refusal = checkTimings(timings);
    if (refusal.isPresent()) {
      return refusal.get();
    }
    Map<KekVersion, LoadedVersion> loaded = keys.proveAll(keystore(), identity.instance());
    writtenFrom = latest;
    return switch (writer.write(heartbeat(loaded), timings)) {
      case Acknowledged() -> readKeystore(startNanos, loaded);
      case OwnedByOther(String run) -> new NameTaken(run);
      case Unacknowledged() ->
          new NotJoined("the store did not acknowledge the heartbeat of this process");
    };
  }

  private MembershipState readKeystore(long startNanos, Map<KekVersion, LoadedVersion> loaded) {
    StoredKeystore before = latest;
    FenceReading fenceReading = admissionCheck.readFences(startNanos);
    StoredKeystore now = keystores.read().orElse(null);
    latest = now;
    if (now == null) {
      return new NoKeystore();
    }
    Optional<MembershipState> refusal = checkTimings(now.keystore().timings());
    if (refusal.isPresent()) {
      return refusal.get();
    }
    if (before == null) {
      return new NotJoined(
          "the keyring has just got its first key; this process joins in the next round"); // with
      // its
      // timings
    }
    boolean same = before.keystore().equals(now.keystore());
    Map<KekVersion, LoadedVersion> proofs =
        same ? loaded : keys.proveAll(now.keystore(), identity.instance());
    otherBytes = findOtherBytes(proofs);
    return admissionCheck.decide(fenceReading, now.keystore(), proofs);
  }

  private Map<KekVersion, String> findOtherBytes(Map<KekVersion, LoadedVersion> proofs) {
    Map<KekVersion, String> found = new TreeMap<>();
    proofs.forEach((version, loaded) -> {
      if (loaded.proofStatus() instanceof Failed) {
        found.put(
            version,
            MissingKeyRemedy.forOtherBytes(
                loaded.provider(), keys.keyring(), version, keys.keyFolder()));
      }
    });
    return found;
  }

  /// Ends sealing at once, while a round may still run. Returns false if it had ended before.
  public boolean stopSealing() {
    return !left.getAndSet(true);
  }

  /// Deletes the heartbeat, so that no gate waits for it to expire.
  public void leave() {
    Timings timings = timings();
    state.set(NOT_JOINED);
    writer.delete(identity.instance(), timings);
  }

  private Optional<MembershipState> checkTimings(Timings fleet) {
    Timings own = identity.timings();
    return own == null || own.equals(fleet)
        ? Optional.empty()
        : Optional.of(new DifferentTimings(own, fleet));
  }

  private @Nullable Keystore keystore() {
    return keystore(latest);
  }

  private static @Nullable Keystore keystore(@Nullable StoredKeystore stored) {
    return stored == null ? null : stored.keystore();
  }

  /// The fleet's timings, as far as this process knows them.
  public Timings timings() {
    Keystore keystore = keystore();
    Timings own = identity.timings();
    return keystore != null ? keystore.timings() : own != null ? own : Timings.DEFAULT;
  }

  private Heartbeat heartbeat(Map<KekVersion, LoadedVersion> loaded) {
    Keystore keystore = keystore();
    return new Heartbeat(
        identity.process(),
        loaded,
        keystore == null ? null : currentVersion.of(keystore),
        identity.protocol(),
        keystore == null ? 0 : keystore.epoch(),
        Instant.EPOCH, // the store sets the time
        keys.keyFolder());
  }
}
