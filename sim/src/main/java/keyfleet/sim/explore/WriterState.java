package keyfleet.sim.explore;

import java.util.Set;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import org.jspecify.annotations.Nullable;

/// A process that seals values and writes them later. It may sleep between the two for any time.
public record WriterState(
    Keys keys,
    KeystoreView keystoreView,
    SealRight sealRight,
    Wakefulness wakefulness,
    @Nullable SealedValue sealedValue) {
  /// The versions that it has loaded, and those that its fresh heartbeat proves.
  public record Keys(Set<KekVersion> loaded, Set<KekVersion> proved) {
    public Keys {
      loaded = Set.copyOf(loaded);
      proved = Set.copyOf(proved);
    }
  }

  /// The part of the keystore that it last read.
  public record KeystoreView(KekVersion active, long epoch) {
    static KeystoreView of(Keystore keystore) {
      return new KeystoreView(keystore.active(), keystore.epoch());
    }
  }

  /// Whether it may seal.
  public enum SealRight {
    /// Admitted by its last round trip.
    ADMITTED,
    /// It was silent for too long to be fresh, but its lease has not ended.
    LEASE,
    /// Its lease has ended, but it cannot know that because its clock stopped.
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

  /// A sealed value that is not written to its field yet.
  public record SealedValue(int record, int field, KekVersion version) {}

  /// A writer of a fleet that has run for a while.
  static WriterState established(Keystore keystore) {
    Set<KekVersion> all = keystore.versions().keySet();
    return new WriterState(
        new Keys(all, all), KeystoreView.of(keystore), SealRight.ADMITTED, Wakefulness.AWAKE, null);
  }

  /// A writer that is about to join and has only the active version.
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

  /// Asleep for longer than a heartbeat is fresh.
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

  /// After the time of a lease without a round trip.
  WriterState withoutLease(RotationProtocol.SuspendedClock suspendedClock) {
    boolean isUnaware = !isAwake() && suspendedClock == RotationProtocol.SuspendedClock.STOPS;
    SealRight remaining =
        sealRight.isOver() ? sealRight : isUnaware ? SealRight.UNAWARE : SealRight.NONE;
    return new WriterState(keys, keystoreView, remaining, wakefulness, sealedValue);
  }
}
