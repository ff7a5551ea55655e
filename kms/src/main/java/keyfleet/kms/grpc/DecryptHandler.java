package keyfleet.kms.grpc;

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
import keyfleet.kms.grpc.UnwrapCoalescer.UnwrapFailed;
import keyfleet.kms.grpc.UnwrapCoalescer.UnwrapResult;
import keyfleet.kms.grpc.UnwrapCoalescer.Unwrapped;
import keyfleet.kms.localkek.KmsCiphertext;
import keyfleet.kms.localkek.LocalKek;
import keyfleet.kms.localkek.LocalKekFactory;
import keyfleet.kms.state.Announcement;
import keyfleet.kms.state.Announcement.KnownKeyId;
import keyfleet.kms.state.CallRefusal;
import keyfleet.kms.state.CallRefusal.Kind;
import keyfleet.kms.v2.DecryptRequest;
import keyfleet.kms.v2.DecryptResponse;

/// Decrypt. What can be known to be wrong is refused before any remote is asked: the call, its
/// key_id, the state of its version. The annotation decides where the key is, whatever this plugin
/// makes itself.
public final class DecryptHandler {
  /// Whether the key, the place or the bytes are wrong is not said.
  private static final CallRefusal UNREADABLE =
      CallRefusal.badCall("this was not sealed by this keyring under this key_id, or was changed");

  private final Supplier<Announcement> announced;
  private final LocalKekFactory workshop;
  private final UnwrapCoalescer flights;
  private final CallRecorder counter;

  public DecryptHandler(
      Supplier<Announcement> announced,
      LocalKekFactory workshop,
      UnwrapCoalescer flights,
      CallRecorder counter) {
    this.announced = announced;
    this.workshop = workshop;
    this.flights = flights;
    this.counter = counter;
  }

  /// A call whose key_id is known.
  private record DecryptCall(
      DecryptRequest request, CallReply<DecryptResponse> reply, KmsCiphertext sealed) {
    void later() {
      reply.later(request.getKeyId(), names());
    }

    void refuse(CallRefusal why) {
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

  void answer(DecryptRequest request, CallReply<DecryptResponse> reply) {
    Announcement now = announced.get();
    Optional<CallRefusal> bad =
        RequestValidator.check(request).or(() -> keyId(now, request.getKeyId()));
    if (bad.isPresent()) {
      reply.refused(bad.get(), request.getKeyId(), request.getAnnotationsMap().keySet());
      return;
    }
    ByteString annotation =
        request.getAnnotationsOrDefault(KmsCiphertext.ANNOTATION, ByteString.EMPTY);
    Optional<KmsCiphertext> sealed = KmsCiphertext.parse(request.getCiphertext());
    if (sealed.isEmpty() || sealed.get().isLocal() == annotation.isEmpty()) {
      reply.refused(UNREADABLE, request.getKeyId(), request.getAnnotationsMap().keySet());
      return;
    }
    DecryptCall one = new DecryptCall(request, reply, sealed.get());
    if (sealed.get().isLocal()) {
      local(now, one, new LocalKek.Id(request.getKeyId(), annotation));
    } else {
      own(now, one);
    }
  }

  private static Optional<CallRefusal> keyId(Announcement now, String keyId) {
    KnownKeyId known = now.known().get(keyId);
    if (known == null) {
      return Optional.of(
          new CallRefusal(
              Kind.UNKNOWN_KEY,
              now.snapshot() == null
                  ? "this plugin knows no key yet"
                  : "this plugin knows no such key_id: another keyring's, or not heard of yet"));
    }
    return switch (known.state()) {
      case ANNOUNCED, STAGED, ACTIVE, DECRYPT_ONLY -> Optional.empty();
      case DISABLED, DESTROYING, DESTROYED ->
          Optional.of(
              CallRefusal.notAllowed(
                  "%s, which this key_id names, is %s".formatted(known.version(), known.state())));
    };
  }

  private void local(Announcement now, DecryptCall one, LocalKek.Id name) {
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

  private void open(LocalKek kek, DecryptCall one) {
    long began = counter.now();
    Optional<byte[]> plain =
        kek.open(one.request().getCiphertext().toByteArray(), one.sealed().start());
    counter.local(began);
    plain.ifPresentOrElse(one::done, () -> one.refuse(UNREADABLE));
  }

  private UnwrapResult fetched(Announcement now, LocalKek.Id name) {
    try {
      Optional<Kek> kek = kek(now, name.keyId());
      if (kek.isEmpty()) {
        return new UnwrapFailed(notLoaded(now, name.keyId()));
      }
      return workshop
          .unwrap(now.keyringId(), name, kek.get())
          .<UnwrapResult>map(Unwrapped::new)
          .orElseGet(() -> new UnwrapFailed(UNREADABLE));
    } catch (KekUnavailableException e) {
      return new UnwrapFailed(CallRefusal.notNow(e.getMessage()));
    }
  }

  private void arrived(UnwrapResult arrival, DecryptCall one) {
    switch (arrival) {
      case Unwrapped(LocalKek kek) -> open(kek, one);
      case UnwrapFailed(CallRefusal why) -> one.refuse(why);
    }
  }

  private void own(Announcement now, DecryptCall one) {
    one.later();
    flights.alone(one.reply().ticket(), () -> unwrapped(now, one)).ifPresent(one::refuse);
  }

  private void unwrapped(Announcement now, DecryptCall one) {
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
      one.refuse(CallRefusal.notNow(e.getMessage()));
    }
  }

  private static Optional<byte[]> opened(Dek key, byte[] aad, DecryptCall one) {
    try (key) {
      return RandomNonceAead.open(
          key, aad, one.request().getCiphertext().toByteArray(), one.sealed().start());
    }
  }

  private Optional<Kek> kek(Announcement now, String keyId) {
    KnownKeyId known = now.known().get(keyId);
    return known == null ? Optional.empty() : workshop.kek(known.version());
  }

  private static CallRefusal notLoaded(Announcement now, String keyId) {
    KnownKeyId known = now.known().get(keyId);
    return CallRefusal.notNow(
        "%s, which this key_id names, is not loaded in this plugin"
            .formatted(known == null ? "the version" : known.version()));
  }
}
