package keyfleet.sim.explore;

import java.util.Set;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import org.jspecify.annotations.Nullable;

/// A process that seals values and writes them later: between the two it may sleep for as long as
/// it likes.
public record WriterState(
    Keys keys,
    KeystoreView keystoreView,
    SealRight sealRight,
    Wakefulness wakefulness,
    @Nullable SealedValue sealedValue) {
  /// What it holds, and what its live heartbeat proves: nothing once it was silent past fresh.
  public record Keys(Set<KekVersion> loaded, Set<KekVersion> proved) {
    public Keys {
      loaded = Set.copyOf(loaded);
      proved = Set.copyOf(proved);
    }
  }

  /// What it last read in the keystore.
  public record KeystoreView(KekVersion active, long epoch) {
    static KeystoreView of(Keystore keystore) {
      return new KeystoreView(keystore.active(), keystore.epoch());
    }
  }

  /// Its right to seal.
  public enum SealRight {
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
  public record SealedValue(int record, int field, KekVersion version) {}

  /// One of a fleet that has run for a while.
  static WriterState established(Keystore keystore) {
    Set<KekVersion> all = keystore.versions().keySet();
    return new WriterState(
        new Keys(all, all), KeystoreView.of(keystore), SealRight.ADMITTED, Wakefulness.AWAKE, null);
  }

  /// One that is about to join, and has nothing but the active version.
  static WriterState joiningLate(Keystore keystore) {
    Keys keys = new Keys(Set.of(keystore.active()), Set.of());
    return new WriterState(
        keys, KeystoreView.of(keystore), SealRight.NONE, Wakefulness.AWAKE, null);
  }

  boolean isAwake() {
    return wakefulness == Wakefulness.AWAKE;
  }

  boolean isInRoster() {
    return !keys.proved().isEmpty();
  }

  /// For longer than a heartbeat counts as fresh.
  WriterState asleep() {
    SealRight remaining = sealRight == SealRight.ADMITTED ? SealRight.LEASE : sealRight;
    return new WriterState(
        new Keys(keys.loaded(), Set.of()),
        keystoreView,
        remaining,
        Wakefulness.ASLEEP,
        sealedValue);
  }

  WriterState awake() {
    return new WriterState(keys, keystoreView, sealRight, Wakefulness.AWAKE, sealedValue);
  }

  WriterState withLoaded(Set<KekVersion> versions) {
    return new WriterState(
        new Keys(versions, keys.proved()), keystoreView, sealRight, wakefulness, sealedValue);
  }

  WriterState withHeartbeat() {
    return new WriterState(
        new Keys(keys.loaded(), keys.loaded()), keystoreView, sealRight, wakefulness, sealedValue);
  }

  WriterState withKeystoreRead(Keystore keystore, SealRight granted) {
    return new WriterState(keys, KeystoreView.of(keystore), granted, wakefulness, sealedValue);
  }

  WriterState withSealed(@Nullable SealedValue value) {
    return new WriterState(keys, keystoreView, sealRight, wakefulness, value);
  }

  /// After a lease's worth of time without a round trip.
  WriterState withoutLease(RotationProtocol.SuspendedClock suspendedClock) {
    boolean isUnaware = !isAwake() && suspendedClock == RotationProtocol.SuspendedClock.STOPS;
    SealRight remaining =
        sealRight.isOver() ? sealRight : isUnaware ? SealRight.UNAWARE : SealRight.NONE;
    return new WriterState(keys, keystoreView, remaining, wakefulness, sealedValue);
  }
}
