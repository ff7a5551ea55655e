package keyfleet.kms;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.crypto.Dek;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KmsAad;
import keyfleet.crypto.RandomNonceAead;
import keyfleet.kms.Announced.Known;
import keyfleet.kms.Flights.Arrival;
import keyfleet.kms.Flights.Failed;
import keyfleet.kms.Flights.Fetched;
import keyfleet.kms.Refusal.Kind;
import keyfleet.kms.v2.DecryptRequest;
import keyfleet.kms.v2.DecryptResponse;

/// Decrypt. What can be known to be wrong is refused before any remote is asked: the call, its
/// key_id, the state of its version. The annotation decides where the key is, whatever this plugin
/// makes itself.
final class Decryption {
  /// Whether the key, the place or the bytes are wrong is not said.
  private static final Refusal UNREADABLE =
      Refusal.badCall("this was not sealed by this keyring under this key_id, or was changed");

  private final Supplier<Announced> announced;
  private final Workshop workshop;
  private final Flights flights;
  private final Counter counter;

  Decryption(Supplier<Announced> announced, Workshop workshop, Flights flights, Counter counter) {
    this.announced = announced;
    this.workshop = workshop;
    this.flights = flights;
    this.counter = counter;
  }

  /// A call whose key_id is known.
  private record Case(DecryptRequest request, Reply<DecryptResponse> reply, Sealed sealed) {
    void later() {
      reply.later(request.getKeyId(), names());
    }

    void refuse(Refusal why) {
      reply.refused(why, request.getKeyId(), names());
    }

    void done(byte[] plain) {
      DecryptResponse response =
          DecryptResponse.newBuilder().setPlaintext(UnsafeByteOperations.unsafeWrap(plain)).build();
      reply.done(response, request.getKeyId(), names());
    }

    private Collection<String> names() {
      return request.getAnnotationsMap().keySet();
    }
  }

  void answer(DecryptRequest request, Reply<DecryptResponse> reply) {
    Announced now = announced.get();
    Optional<Refusal> bad = Calls.check(request).or(() -> keyId(now, request.getKeyId()));
    if (bad.isPresent()) {
      reply.refused(bad.get(), request.getKeyId(), request.getAnnotationsMap().keySet());
      return;
    }
    ByteString annotation = request.getAnnotationsOrDefault(Sealed.ANNOTATION, ByteString.EMPTY);
    Optional<Sealed> sealed = Sealed.parse(request.getCiphertext());
    if (sealed.isEmpty() || sealed.get().isLocal() == annotation.isEmpty()) {
      reply.refused(UNREADABLE, request.getKeyId(), request.getAnnotationsMap().keySet());
      return;
    }
    Case one = new Case(request, reply, sealed.get());
    if (sealed.get().isLocal()) {
      local(now, one, new LocalKek.Name(request.getKeyId(), annotation));
    } else {
      own(now, one);
    }
  }

  private static Optional<Refusal> keyId(Announced now, String keyId) {
    Known known = now.known().get(keyId);
    if (known == null) {
      return Optional.of(
          new Refusal(
              Kind.UNKNOWN_KEY,
              now.snapshot() == null
                  ? "this plugin knows no key yet"
                  : "this plugin knows no such key_id: another keyring's, or not heard of yet"));
    }
    return switch (known.state()) {
      case ANNOUNCED, STAGED, ACTIVE, DECRYPT_ONLY -> Optional.empty();
      case DISABLED, DESTROYING, DESTROYED ->
          Optional.of(
              Refusal.notAllowed(
                  "%s, which this key_id names, is %s".formatted(known.version(), known.state())));
    };
  }

  private void local(Announced now, Case one, LocalKek.Name name) {
    LocalKek held = workshop.held(name);
    if (held != null) {
      open(held, one);
      return;
    }
    one.later();
    flights
        .join(
            one.reply().ticket(), name, () -> fetched(now, name), arrival -> arrived(arrival, one))
        .ifPresent(one::refuse);
  }

  private void open(LocalKek kek, Case one) {
    long began = counter.now();
    Optional<byte[]> plain =
        kek.open(one.request().getCiphertext().toByteArray(), one.sealed().start());
    counter.local(began);
    plain.ifPresentOrElse(one::done, () -> one.refuse(UNREADABLE));
  }

  private Arrival fetched(Announced now, LocalKek.Name name) {
    try {
      Optional<Kek> kek = kek(now, name.keyId());
      if (kek.isEmpty()) {
        return new Failed(notLoaded(now, name.keyId()));
      }
      return workshop
          .unwrap(now.keyringId(), name, kek.get())
          .<Arrival>map(Fetched::new)
          .orElseGet(() -> new Failed(UNREADABLE));
    } catch (KekUnavailableException e) {
      return new Failed(Refusal.notNow(e.getMessage()));
    }
  }

  private void arrived(Arrival arrival, Case one) {
    switch (arrival) {
      case Fetched(LocalKek kek) -> open(kek, one);
      case Failed(Refusal why) -> one.refuse(why);
    }
  }

  private void own(Announced now, Case one) {
    one.later();
    flights.alone(one.reply().ticket(), () -> unwrapped(now, one)).ifPresent(one::refuse);
  }

  private void unwrapped(Announced now, Case one) {
    String keyId = one.request().getKeyId();
    byte[] wrapped = one.sealed().wrapped().toByteArray();
    try {
      Optional<Kek> kek = kek(now, keyId);
      if (kek.isEmpty()) {
        one.refuse(notLoaded(now, keyId));
        return;
      }
      Optional<Dek> dek = workshop.unwrap(kek.get(), wrapped, KmsAad.ofDek(now.keyringId(), keyId));
      byte[] aad = KmsAad.ofValue(now.keyringId(), keyId, wrapped);
      dek.flatMap(it -> opened(it, aad, one))
          .ifPresentOrElse(one::done, () -> one.refuse(UNREADABLE));
    } catch (KekUnavailableException e) {
      one.refuse(Refusal.notNow(e.getMessage()));
    }
  }

  private static Optional<byte[]> opened(Dek key, byte[] aad, Case one) {
    try (key) {
      return RandomNonceAead.open(
          key, aad, one.request().getCiphertext().toByteArray(), one.sealed().start());
    }
  }

  private Optional<Kek> kek(Announced now, String keyId) {
    Known known = now.known().get(keyId);
    return known == null ? Optional.empty() : workshop.kek(known.version());
  }

  private static Refusal notLoaded(Announced now, String keyId) {
    Known known = now.known().get(keyId);
    return Refusal.notNow(
        "%s, which this key_id names, is not loaded in this plugin"
            .formatted(known == null ? "the version" : known.version()));
  }
}
