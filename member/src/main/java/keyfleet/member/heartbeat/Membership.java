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
/// One thread calls [#tick] every heartbeat; any thread asks for the [#standing]. The lease counts
/// from the start of the round, on a clock that goes on while the machine sleeps. A round that the
/// store does not answer changes nothing: the lease runs out by itself.
public final class Membership {
  private static final MembershipState OUTSIDE = new NotJoined("it has not joined the fleet yet");

  private final ProcessIdentity self;
  private final KeystoreStore keystores;
  private final LoadedKeys keys;
  private final HeartbeatWriter pulse;
  private final AdmissionCheck door;

  /// Nanoseconds that count suspend.
  private final LongSupplier clock;

  private @Nullable StoredKeystore known;

  /// What the last heartbeat was made from.
  private @Nullable StoredKeystore beaten;

  private List<String> keyFaults = List.of();

  private final AtomicReference<MembershipState> standing = new AtomicReference<>(OUTSIDE);

  /// The store, and where random words come from.
  public record StoreAccess(Kv kv, Supplier<String> nonces) {}

  public Membership(
      ProcessIdentity self,
      StoreAccess ties,
      LoadedKeys keys,
      Supplier<Map<String, SafeHold.FenceMark>> fences,
      LongSupplier clock) {
    this.self = self;
    this.keystores = new KeystoreStore(ties.kv(), keys.keyring(), ties.nonces());
    this.keys = keys;
    this.pulse = new HeartbeatWriter(ties.kv(), keys.keyring(), ties.nonces());
    this.door = new AdmissionCheck(keys, fences);
    this.clock = clock;
  }

  public MembershipState standing() {
    return standing.get();
  }

  public MembershipState tick() {
    var _ = silence();
    return standing.get();
  }

  /// As [#tick], with all that was seen on the way.
  HeartbeatResult look() {
    StoreException silence = silence();
    HeartbeatResult.Sealing sealing =
        seals() ? HeartbeatResult.Sealing.OPEN : HeartbeatResult.Sealing.SHUT;
    return new HeartbeatResult(standing.get(), sealing, keys.held(), keyFaults, silence);
  }

  /// Makes a round. Returns why the store did not answer, if so; the lease, if any, then goes on
  /// towards its end.
  private @Nullable StoreException silence() {
    long began = clock.getAsLong();
    keyFaults = keys.refresh();
    try {
      standing.set(round(began));
    } catch (MalformedValueException e) {
      standing.set(new NotJoined("the keystore cannot be read: " + e.getMessage()));
    } catch (StoreException e) {
      return e;
    }
    return null;
  }

  /// Whether the process may seal at this moment.
  boolean seals() {
    return standing.get() instanceof Admitted(Keystore keystore, WriteLease lease)
        && lease.isHeld(clock.getAsLong(), keystore.timings().lease());
  }

  /// Whether the last heartbeat says something that was found to be old since. Others may wait for
  /// the next one.
  boolean isBehind() {
    return !Objects.equals(keystore(beaten), keystore(known));
  }

  private MembershipState round(long began) {
    if (known == null) {
      known = keystores.read().orElse(null); // for its timings; that it is old does not matter
    }
    Timings timings = timings();
    Optional<MembershipState> refusal = refusal(timings);
    if (refusal.isPresent()) {
      return refusal.get();
    }
    Map<KekVersion, LoadedVersion> shown = keys.shown(keystore(), self.instance());
    beaten = known;
    return switch (pulse.beat(heartbeat(shown), timings)) {
      case Acknowledged() -> read(began, shown);
      case OwnedByOther(String run) -> new NameTaken(run);
      case Unacknowledged() -> new NotJoined("its heartbeat was not acknowledged");
    };
  }

  private MembershipState read(long began, Map<KekVersion, LoadedVersion> shown) {
    StoredKeystore before = known;
    FenceReading visit = door.visit(began);
    StoredKeystore now = keystores.read().orElse(null);
    known = now;
    if (now == null) {
      return new NoKeystore();
    }
    Optional<MembershipState> refusal = refusal(now.keystore().timings());
    if (refusal.isPresent()) {
      return refusal.get();
    }
    if (before == null) {
      return new NotJoined("the keyring has its first key: joining"); // with its timings
    }
    boolean same = before.keystore().equals(now.keystore());
    return door.judge(
        visit, now.keystore(), same ? shown : keys.shown(now.keystore(), self.instance()));
  }

  /// Deletes the heartbeat, so that nobody waits for it to expire.
  public void stop() {
    Timings timings = timings();
    standing.set(OUTSIDE);
    pulse.stop(self.instance(), timings);
  }

  private Optional<MembershipState> refusal(Timings fleet) {
    Timings own = self.timings();
    return own == null || own.equals(fleet)
        ? Optional.empty()
        : Optional.of(new DifferentTimings(own, fleet));
  }

  private @Nullable Keystore keystore() {
    return keystore(known);
  }

  private static @Nullable Keystore keystore(@Nullable StoredKeystore held) {
    return held == null ? null : held.keystore();
  }

  /// The fleet's, as far as known.
  public Timings timings() {
    Keystore keystore = keystore();
    Timings own = self.timings();
    return keystore != null ? keystore.timings() : own != null ? own : Timings.DEFAULT;
  }

  private Heartbeat heartbeat(Map<KekVersion, LoadedVersion> shown) {
    Keystore keystore = keystore();
    return new Heartbeat(
        self.processInfo(),
        shown,
        keystore == null ? null : keystore.active(),
        self.protocol(),
        keystore == null ? 0 : keystore.epoch(),
        Instant.EPOCH); // the store knows better
  }
}
