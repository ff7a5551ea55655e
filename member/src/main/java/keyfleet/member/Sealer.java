package keyfleet.member;

import java.util.function.LongSupplier;
import java.util.function.Supplier;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.FieldLocation;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.NoSuchVersion;
import keyfleet.crypto.OpenResult;
import keyfleet.crypto.SealResult;
import keyfleet.crypto.SecretBytes;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Keystore;
import keyfleet.member.MembershipState.Admitted;
import keyfleet.member.SealerResult.JustRegistered;
import keyfleet.member.SealerResult.KeyNotLoaded;
import keyfleet.member.SealerResult.LeaseExpired;
import keyfleet.member.SealerResult.NotAdmitted;
import keyfleet.member.SealerResult.NotRegistered;
import keyfleet.member.SealerResult.Sealed;
import keyfleet.member.document.CollectionRegistry;
import keyfleet.member.document.CollectionRegistry.RegisteredDifferently;
import keyfleet.member.keys.LoadedKeys;
import org.jspecify.annotations.Nullable;

/// Seals and opens the values of one collection, and seals only while the process may. Safe for any
/// number of threads.
///
/// It registers the collection before the first seal, because a rotation moves only registered
/// collections.
public final class Sealer {
  private final CollectionRegistration registration;
  private final CollectionRegistry registry;
  private final LoadedKeys keys;
  private final Supplier<MembershipState> state;
  private final LongSupplier clock;

  /// When this process saw that the collection is registered, on [#clock].
  private volatile @Nullable Long registeredAtNanos;

  public Sealer(
      CollectionRegistration registration,
      CollectionRegistry registry,
      LoadedKeys keys,
      Supplier<MembershipState> state,
      LongSupplier clock) {
    this.registration = registration;
    this.registry = registry;
    this.keys = keys;
    this.state = state;
    this.clock = clock;
  }

  /// Registers the collection unless this process has already done so. A process that registers it
  /// before it joins can seal at once.
  public CollectionRegistry.Outcome register() {
    CollectionRegistry.Outcome outcome =
        registeredAtNanos == null
            ? registry.register(registration)
            : new CollectionRegistry.Registered();
    if (registeredAtNanos == null && outcome instanceof CollectionRegistry.Registered) {
      registeredAtNanos = clock.getAsLong();
    }
    return outcome;
  }

  /// The right to seal at this moment, under one version.
  sealed interface Permit {}

  record PermitGranted(EnvelopeCipher cipher, KekVersion version) implements Permit {}

  record PermitDenied(SealerResult.Refusal refusal) implements Permit {}

  /// Seals under the active version. Only the first call asks the store.
  public SealerResult seal(FieldLocation location, SecretBytes plaintext) {
    if (!location.collection().equals(registration.collection())) {
      throw new IllegalArgumentException(
          "this sealer is for " + registration.collection() + ", not " + location.collection());
    }
    return switch (acquirePermit()) {
      case PermitDenied(var refusal) -> refusal;
      case PermitGranted(EnvelopeCipher cipher, KekVersion version) ->
          switch (cipher.seal(version, location, plaintext)) {
            case SealResult.Sealed(var envelope) -> new Sealed(envelope);
            case NoSuchVersion(var missing) -> new KeyNotLoaded(missing);
          };
    };
  }

  /// Permission to seal under the active version. A caller that seals several values under one
  /// version uses one permit for all: the next permit may be for another version.
  Permit acquirePermit() {
    if (!(state.get() instanceof Admitted)) {
      return new PermitDenied(new NotAdmitted(state.get()));
    }
    if (register() instanceof RegisteredDifferently(var existing)) {
      return new PermitDenied(
          new NotRegistered(
              "%s is registered for keyring %s with fields %s"
                  .formatted(existing.collection(), existing.keyring(), existing.sealedFields())));
    }
    // Registering may have taken a while, and the lease must hold now.
    return switch (state.get()) {
      case Admitted admitted -> acquirePermit(admitted);
      case MembershipState other -> new PermitDenied(new NotAdmitted(other));
    };
  }

  /// Grants only if the round of the lease began after the collection was registered (ADR 7). Then
  /// either the driver of a rotation found the collection and fenced it, or this process has read
  /// the result of the rotation.
  private Permit acquirePermit(Admitted admitted) {
    Keystore keystore = admitted.keystore();
    if (!admitted.lease().isHeld(clock.getAsLong(), keystore.timings().lease())) {
      return new PermitDenied(new LeaseExpired());
    }
    Long since = registeredAtNanos;
    return since == null || admitted.lease().roundTripStartNanos() < since
        ? new PermitDenied(new JustRegistered())
        : new PermitGranted(keys.cipher(), keystore.active());
  }

  /// Opens with the loaded keys, whether the process is admitted or not.
  public OpenResult open(FieldLocation location, byte[] envelope) {
    return keys.cipher().open(location, envelope);
  }

  OpenResult open(FieldLocation location, Envelope envelope) {
    return keys.cipher().open(location, envelope);
  }
}
