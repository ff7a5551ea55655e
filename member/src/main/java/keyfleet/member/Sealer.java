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

/// Seals and opens the values of one collection. For any number of threads.
///
/// Before its first seal it registers the collection: a rotation moves what it knows of.
public final class Sealer {
  private final CollectionRegistration collectionRegistration;
  private final CollectionRegistry collectionRegistry;
  private final LoadedKeys keys;
  private final Supplier<MembershipState> state;
  private final LongSupplier clock;

  /// When the collection was seen to be registered, on the clock.
  private volatile @Nullable Long registeredAtNanos;

  public Sealer(
      CollectionRegistration collectionRegistration,
      CollectionRegistry collectionRegistry,
      LoadedKeys keys,
      Supplier<MembershipState> state,
      LongSupplier clock) {
    this.collectionRegistration = collectionRegistration;
    this.collectionRegistry = collectionRegistry;
    this.keys = keys;
    this.state = state;
    this.clock = clock;
  }

  /// Registers the collection, unless that is done. Who does so before joining can seal at once.
  public CollectionRegistry.Outcome register() {
    CollectionRegistry.Outcome outcome =
        registeredAtNanos == null
            ? collectionRegistry.register(collectionRegistration)
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

  /// Seals under the active version. The first call asks the store, later ones do not.
  public SealerResult seal(FieldLocation fieldLocation, SecretBytes plaintext) {
    if (!fieldLocation.collection().equals(collectionRegistration.collection())) {
      throw new IllegalArgumentException(
          "this sealer is for "
              + collectionRegistration.collection()
              + ", not "
              + fieldLocation.collection());
    }
    return switch (acquirePermit()) {
      case PermitDenied(var why) -> why;
      case PermitGranted(EnvelopeCipher cipher, KekVersion version) ->
          switch (cipher.seal(version, fieldLocation, plaintext)) {
            case SealResult.Sealed(var envelope) -> new Sealed(envelope);
            case NoSuchVersion(var missing) -> new KeyNotLoaded(missing);
          };
    };
  }

  /// For whoever seals several values under one version: by the next call it may be another.
  Permit acquirePermit() {
    if (!(state.get() instanceof Admitted)) {
      return new PermitDenied(new NotAdmitted(state.get()));
    }
    if (register() instanceof RegisteredDifferently(var held)) {
      return new PermitDenied(
          new NotRegistered(
              "%s is registered for keyring %s with fields %s"
                  .formatted(held.collection(), held.keyring(), held.sealedFields())));
    }
    // After registering: that took a while, and the lease has to hold now.
    return switch (state.get()) {
      case Admitted admitted -> acquirePermit(admitted);
      case MembershipState other -> new PermitDenied(new NotAdmitted(other));
    };
  }

  /// The round of the lease began after the collection was registered (ADR 7). So either the driver
  /// of a rotation found the collection and fenced it, or this process has read what came of the
  /// rotation.
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

  /// Opens whatever the loaded keys open, admitted or not.
  public OpenResult open(FieldLocation fieldLocation, byte[] envelope) {
    return keys.cipher().open(fieldLocation, envelope);
  }

  OpenResult open(FieldLocation fieldLocation, Envelope envelope) {
    return keys.cipher().open(fieldLocation, envelope);
  }
}
