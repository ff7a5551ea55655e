package keyfleet.member;

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
import keyfleet.member.Doorkeeper.Visit;
import keyfleet.member.Keystores.Held;
import keyfleet.member.Pulse.Acknowledged;
import keyfleet.member.Pulse.Taken;
import keyfleet.member.Pulse.Unanswered;
import keyfleet.member.Standing.Admitted;
import keyfleet.member.Standing.NameTaken;
import keyfleet.member.Standing.NoKeystore;
import keyfleet.member.Standing.OtherTimings;
import keyfleet.member.Standing.Outside;
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
  private static final Standing OUTSIDE = new Outside("it has not joined the fleet yet");

  private final Self self;
  private final Keystores keystores;
  private final Keyholder keys;
  private final Pulse pulse;
  private final Doorkeeper door;

  /// Nanoseconds that count suspend.
  private final LongSupplier clock;

  private @Nullable Held known;

  /// What the last heartbeat was made from.
  private @Nullable Held beaten;

  private List<String> keyFaults = List.of();

  private final AtomicReference<Standing> standing = new AtomicReference<>(OUTSIDE);

  /// The store, and where random words come from.
  public record Ties(Kv kv, Supplier<String> nonces) {}

  public Membership(
      Self self,
      Ties ties,
      Keyholder keys,
      Supplier<Map<String, SafeHold.FenceMark>> fences,
      LongSupplier clock) {
    this.self = self;
    this.keystores = new Keystores(ties.kv(), keys.keyring(), ties.nonces());
    this.keys = keys;
    this.pulse = new Pulse(ties.kv(), keys.keyring(), ties.nonces());
    this.door = new Doorkeeper(keys, fences);
    this.clock = clock;
  }

  public Standing standing() {
    return standing.get();
  }

  public Standing tick() {
    var _ = silence();
    return standing.get();
  }

  /// As [#tick], with all that was seen on the way.
  Round look() {
    StoreException silence = silence();
    Round.Sealing sealing = seals() ? Round.Sealing.OPEN : Round.Sealing.SHUT;
    return new Round(standing.get(), sealing, keys.held(), keyFaults, silence);
  }

  /// Makes a round. Returns why the store did not answer, if so; the lease, if any, then goes on
  /// towards its end.
  private @Nullable StoreException silence() {
    long began = clock.getAsLong();
    keyFaults = keys.refresh();
    try {
      standing.set(round(began));
    } catch (MalformedValueException e) {
      standing.set(new Outside("the keystore cannot be read: " + e.getMessage()));
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

  private Standing round(long began) {
    if (known == null) {
      known = keystores.read().orElse(null); // for its timings; that it is old does not matter
    }
    Timings timings = timings();
    Optional<Standing> refusal = refusal(timings);
    if (refusal.isPresent()) {
      return refusal.get();
    }
    Map<KekVersion, LoadedVersion> shown = keys.shown(keystore(), self.instance());
    beaten = known;
    return switch (pulse.beat(heartbeat(shown), timings)) {
      case Acknowledged() -> read(began, shown);
      case Taken(String run) -> new NameTaken(run);
      case Unanswered() -> new Outside("its heartbeat was not acknowledged");
    };
  }

  private Standing read(long began, Map<KekVersion, LoadedVersion> shown) {
    Held before = known;
    Visit visit = door.visit(began);
    Held now = keystores.read().orElse(null);
    known = now;
    if (now == null) {
      return new NoKeystore();
    }
    Optional<Standing> refusal = refusal(now.keystore().timings());
    if (refusal.isPresent()) {
      return refusal.get();
    }
    if (before == null) {
      return new Outside("the keyring has its first key: joining"); // with its timings
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

  private Optional<Standing> refusal(Timings fleet) {
    Timings own = self.timings();
    return own == null || own.equals(fleet)
        ? Optional.empty()
        : Optional.of(new OtherTimings(own, fleet));
  }

  private @Nullable Keystore keystore() {
    return keystore(known);
  }

  private static @Nullable Keystore keystore(@Nullable Held held) {
    return held == null ? null : held.keystore();
  }

  /// The fleet's, as far as known.
  Timings timings() {
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
