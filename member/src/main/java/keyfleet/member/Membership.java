package keyfleet.member;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Heartbeat.Loaded;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.SafeHold;
import keyfleet.keyring.Timings;
import keyfleet.member.Doorkeeper.Visit;
import keyfleet.member.Keystores.Held;
import keyfleet.member.Pulse.Acknowledged;
import keyfleet.member.Pulse.Taken;
import keyfleet.member.Pulse.Unanswered;
import keyfleet.member.Standing.NameTaken;
import keyfleet.member.Standing.NoKeystore;
import keyfleet.member.Standing.OtherTimings;
import keyfleet.member.Standing.Outside;
import keyfleet.store.Kv;
import keyfleet.store.MalformedException;
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
  private final AtomicReference<Standing> standing = new AtomicReference<>(OUTSIDE);

  /// The store, and where random words come from.
  public record Ties(Kv kv, Supplier<String> nonces) {}

  public Membership(
      Self self,
      Ties ties,
      Keyholder keys,
      Supplier<Map<String, SafeHold.Mark>> fences,
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
    try {
      standing.set(round(clock.getAsLong()));
    } catch (MalformedException e) {
      standing.set(new Outside("the keystore cannot be read: " + e.getMessage()));
    } catch (StoreException e) {
      return standing.get(); // and its lease, if any, goes on towards its end
    }
    return standing.get();
  }

  private Standing round(long began) {
    keys.refresh();
    if (known == null) {
      known = keystores.read().orElse(null); // for its timings; that it is old does not matter
    }
    Timings timings = timings();
    Optional<Standing> refusal = refusal(timings);
    if (refusal.isPresent()) {
      return refusal.get();
    }
    Map<KekVersion, Loaded> shown = keys.shown(keystore(), self.instance());
    return switch (pulse.beat(heartbeat(shown), timings)) {
      case Acknowledged() -> read(began, shown);
      case Taken(String run) -> new NameTaken(run);
      case Unanswered() -> new Outside("its heartbeat was not acknowledged");
    };
  }

  private Standing read(long began, Map<KekVersion, Loaded> shown) {
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
    Held held = known;
    return held == null ? null : held.keystore();
  }

  private Timings timings() {
    Keystore keystore = keystore();
    Timings own = self.timings();
    return keystore != null ? keystore.timings() : own != null ? own : Timings.DEFAULT;
  }

  private Heartbeat heartbeat(Map<KekVersion, Loaded> shown) {
    Keystore keystore = keystore();
    return new Heartbeat(
        self.origin(),
        shown,
        keystore == null ? null : keystore.active(),
        self.protocol(),
        keystore == null ? 0 : keystore.epoch(),
        Instant.EPOCH); // the store knows better
  }
}
