package keyfleet.member.heartbeat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Heartbeat;
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

/// Keeps a process in its fleet: heartbeat acknowledged, *then* keystore read, then admission.
///
/// One thread calls [#runRound] every heartbeat; any thread asks for the [#state]. The lease counts
/// from the start of the round, on a clock that goes on while the machine sleeps. A round that the
/// store does not answer changes nothing: the lease runs out by itself.
public final class Membership {
  private static final MembershipState NOT_JOINED =
      new NotJoined("it has not joined the fleet yet");

  private final ProcessIdentity identity;
  private final KeystoreStore keystoreStore;
  private final LoadedKeys keys;
  private final HeartbeatWriter heartbeatWriter;
  private final AdmissionCheck admissionCheck;

  /// Nanoseconds that count suspend.
  private final LongSupplier clock;

  private @Nullable StoredKeystore latest;

  /// What the last heartbeat was made from.
  private @Nullable StoredKeystore writtenFrom;

  private List<String> providerFaults = List.of();

  private final AtomicReference<MembershipState> state = new AtomicReference<>(NOT_JOINED);

  /// The store, and where random words come from.
  public record StoreAccess(Kv kv, Supplier<String> nonces) {}

  public Membership(
      ProcessIdentity identity,
      StoreAccess storeAccess,
      LoadedKeys keys,
      Supplier<Map<String, SafeHold.FenceMark>> fences,
      LongSupplier clock) {
    this.identity = identity;
    this.keystoreStore = new KeystoreStore(storeAccess.kv(), keys.keyring(), storeAccess.nonces());
    this.keys = keys;
    this.heartbeatWriter =
        new HeartbeatWriter(storeAccess.kv(), keys.keyring(), storeAccess.nonces());
    this.admissionCheck = new AdmissionCheck(keys, fences);
    this.clock = clock;
  }

  public MembershipState state() {
    return state.get();
  }

  public MembershipState runRound() {
    var _ = tryRound();
    return state.get();
  }

  /// As [#runRound], with all that was seen on the way.
  HeartbeatResult runDetailedRound() {
    StoreException storeFailure = tryRound();
    HeartbeatResult.Sealing sealing =
        canSeal() ? HeartbeatResult.Sealing.ENABLED : HeartbeatResult.Sealing.DISABLED;
    return new HeartbeatResult(
        state.get(), sealing, keys.providerByVersion(), providerFaults, storeFailure);
  }

  /// Makes a round. Returns why the store did not answer, if so; the lease, if any, then goes on
  /// towards its end.
  private @Nullable StoreException tryRound() {
    long began = clock.getAsLong();
    providerFaults = keys.refresh();
    try {
      state.set(writeHeartbeatThenRead(began));
    } catch (MalformedValueException e) {
      state.set(new NotJoined("the keystore cannot be read: " + e.getMessage()));
    } catch (StoreException e) {
      return e;
    }
    return null;
  }

  /// Whether the process may seal at this moment.
  boolean canSeal() {
    return state.get() instanceof Admitted(Keystore keystore, WriteLease lease)
        && lease.isHeld(clock.getAsLong(), keystore.timings().lease());
  }

  /// Whether the last heartbeat says something that was found to be old since. Others may wait for
  /// the next one.
  boolean isHeartbeatOutdated() {
    return !Objects.equals(keystore(writtenFrom), keystore(latest));
  }

  private MembershipState writeHeartbeatThenRead(long began) {
    if (latest == null) {
      latest = keystoreStore.read().orElse(null); // for its timings; that it is old does not matter
    }
    Timings timings = timings();
    Optional<MembershipState> refusal = checkTimings(timings);
    if (refusal.isPresent()) {
      return refusal.get();
    }
    Map<KekVersion, LoadedVersion> loaded = keys.proveAll(keystore(), identity.instance());
    writtenFrom = latest;
    return switch (heartbeatWriter.write(heartbeat(loaded), timings)) {
      case Acknowledged() -> readKeystore(began, loaded);
      case OwnedByOther(String run) -> new NameTaken(run);
      case Unacknowledged() -> new NotJoined("its heartbeat was not acknowledged");
    };
  }

  private MembershipState readKeystore(long began, Map<KekVersion, LoadedVersion> loaded) {
    StoredKeystore before = latest;
    FenceReading fenceReading = admissionCheck.readFences(began);
    StoredKeystore now = keystoreStore.read().orElse(null);
    latest = now;
    if (now == null) {
      return new NoKeystore();
    }
    Optional<MembershipState> refusal = checkTimings(now.keystore().timings());
    if (refusal.isPresent()) {
      return refusal.get();
    }
    if (before == null) {
      return new NotJoined("the keyring has its first key: joining"); // with its timings
    }
    boolean same = before.keystore().equals(now.keystore());
    return admissionCheck.decide(
        fenceReading,
        now.keystore(),
        same ? loaded : keys.proveAll(now.keystore(), identity.instance()));
  }

  /// Deletes the heartbeat, so that nobody waits for it to expire.
  public void leave() {
    Timings timings = timings();
    state.set(NOT_JOINED);
    heartbeatWriter.delete(identity.instance(), timings);
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

  private static @Nullable Keystore keystore(@Nullable StoredKeystore storedKeystore) {
    return storedKeystore == null ? null : storedKeystore.keystore();
  }

  /// The fleet's, as far as known.
  public Timings timings() {
    Keystore keystore = keystore();
    Timings own = identity.timings();
    return keystore != null ? keystore.timings() : own != null ? own : Timings.DEFAULT;
  }

  private Heartbeat heartbeat(Map<KekVersion, LoadedVersion> loaded) {
    Keystore keystore = keystore();
    return new Heartbeat(
        identity.processInfo(),
        loaded,
        keystore == null ? null : keystore.active(),
        identity.protocol(),
        keystore == null ? 0 : keystore.epoch(),
        Instant.EPOCH); // the store knows better
  }
}
