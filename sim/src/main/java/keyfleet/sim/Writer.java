package keyfleet.sim;

import java.util.Set;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import org.jspecify.annotations.Nullable;

/// A process that seals values and writes them later: between the two it may sleep for as long as
/// it likes.
public record Writer(
    Keys keys, View view, Right right, Wakefulness wakefulness, @Nullable Sealed sealed) {
  /// What it holds, and what its live heartbeat proves: nothing once it was silent past fresh.
  public record Keys(Set<KekVersion> loaded, Set<KekVersion> shown) {
    public Keys {
      loaded = Set.copyOf(loaded);
      shown = Set.copyOf(shown);
    }
  }

  /// What it last read in the keystore.
  public record View(KekVersion active, long epoch) {
    static View of(Keystore keystore) {
      return new View(keystore.active(), keystore.epoch());
    }
  }

  /// Its right to seal.
  public enum Right {
    /// By its last round trip.
    ADMITTED,
    /// It was silent past fresh, and its lease goes on.
    LEASE,
    /// Its lease is over, and it cannot know: its clock stood still.
    UNAWARE,
    NONE;

    boolean isOver() {
      return this == UNAWARE || this == NONE;
    }
  }

  public enum Wakefulness {
    AWAKE,
    ASLEEP
  }

  /// A value sealed under a version, on its way to a field of a record.
  public record Sealed(int record, int field, KekVersion version) {}

  /// One of a fleet that has run for a while.
  static Writer settled(Keystore keystore) {
    Set<KekVersion> all = keystore.versions().keySet();
    return new Writer(
        new Keys(all, all), View.of(keystore), Right.ADMITTED, Wakefulness.AWAKE, null);
  }

  /// One that is about to join, and has nothing but the active version.
  static Writer late(Keystore keystore) {
    Keys keys = new Keys(Set.of(keystore.active()), Set.of());
    return new Writer(keys, View.of(keystore), Right.NONE, Wakefulness.AWAKE, null);
  }

  boolean isAwake() {
    return wakefulness == Wakefulness.AWAKE;
  }

  boolean isInRoster() {
    return !keys.shown().isEmpty();
  }

  /// For longer than a heartbeat counts as fresh.
  Writer asleep() {
    Right left = right == Right.ADMITTED ? Right.LEASE : right;
    return new Writer(new Keys(keys.loaded(), Set.of()), view, left, Wakefulness.ASLEEP, sealed);
  }

  Writer awake() {
    return new Writer(keys, view, right, Wakefulness.AWAKE, sealed);
  }

  Writer loading(Set<KekVersion> versions) {
    return new Writer(new Keys(versions, keys.shown()), view, right, wakefulness, sealed);
  }

  Writer beating() {
    return new Writer(new Keys(keys.loaded(), keys.loaded()), view, right, wakefulness, sealed);
  }

  Writer reading(Keystore keystore, Right given) {
    return new Writer(keys, View.of(keystore), given, wakefulness, sealed);
  }

  Writer holding(@Nullable Sealed value) {
    return new Writer(keys, view, right, wakefulness, value);
  }

  /// After a lease's worth of time without a round trip.
  Writer outOfLease(Laws.Clock sleepersClock) {
    boolean unaware = !isAwake() && sleepersClock == Laws.Clock.STANDS_STILL;
    Right left = right.isOver() ? right : unaware ? Right.UNAWARE : Right.NONE;
    return new Writer(keys, view, left, wakefulness, sealed);
  }
}
