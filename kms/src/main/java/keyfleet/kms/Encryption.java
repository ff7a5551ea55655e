package keyfleet.kms;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.crypto.Dek;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KmsAad;
import keyfleet.crypto.RandomNonceAead;
import keyfleet.kms.Announced.Locally;
import keyfleet.kms.Announced.Remotely;
import keyfleet.kms.Announced.Stopped;
import keyfleet.kms.Refusal.Kind;
import keyfleet.kms.v2.EncryptRequest;
import keyfleet.kms.v2.EncryptResponse;

/// Encrypt: under the local KEK at once, or, without the hierarchy, under a key that the remote
/// wraps.
final class Encryption {
  static final Refusal SPENT =
      new Refusal(
          Kind.SPENT,
          "the local KEK is used up, and no other could be made: the key's provider is needed");

  private static final List<String> ANNOTATIONS = List.of(Sealed.ANNOTATION);

  private final Supplier<Announced> announced;
  private final Workshop workshop;
  private final Flights flights;
  private final Usage usage;
  private final Counter counter;
  private final SecureRandom random = new SecureRandom();

  Encryption(
      Supplier<Announced> announced,
      Workshop workshop,
      Flights flights,
      Usage usage,
      Counter counter) {
    this.announced = announced;
    this.workshop = workshop;
    this.flights = flights;
    this.usage = usage;
    this.counter = counter;
  }

  void answer(EncryptRequest request, Reply<EncryptResponse> reply) {
    Optional<Refusal> bad = Calls.check(request);
    if (bad.isPresent()) {
      reply.refused(bad.get(), "", List.of());
      return;
    }
    Announced now = announced.get();
    switch (now.writing()) {
      case Locally(KeyId keyId, LocalKek kek) -> local(request, keyId, kek, reply);
      case Remotely(KeyId keyId, Kek kek) -> remote(request, now.keyringId(), keyId, kek, reply);
      case Stopped(Refusal why) -> reply.refused(why, "", List.of());
    }
  }

  private void local(
      EncryptRequest request, KeyId keyId, LocalKek kek, Reply<EncryptResponse> reply) {
    if (!usage.admits(kek)) {
      reply.refused(SPENT, keyId.text(), List.of());
      return;
    }
    long began = counter.now();
    byte[] plain = request.getPlaintext().toByteArray();
    byte[] sealed = kek.seal(Sealed.localHead(), plain, random);
    Arrays.fill(plain, (byte) 0);
    counter.local(began);
    EncryptResponse response =
        response(keyId, sealed).putAnnotations(Sealed.ANNOTATION, kek.name().wrapped()).build();
    reply.done(response, keyId.text(), ANNOTATIONS);
  }

  private void remote(
      EncryptRequest request,
      String keyringId,
      KeyId keyId,
      Kek kek,
      Reply<EncryptResponse> reply) {
    reply.later(keyId.text(), List.of());
    flights
        .alone(
            reply.ticket(),
            () -> {
              try {
                byte[] sealed = sealed(request.getPlaintext(), keyringId, keyId, kek);
                if (sealed.length > Sealed.MAX_BYTES) {
                  reply.refused(Calls.tooLong(sealed.length), keyId.text(), List.of());
                } else {
                  reply.done(response(keyId, sealed).build(), keyId.text(), List.of());
                }
              } catch (KekUnavailableException e) {
                reply.refused(Refusal.notNow(e.getMessage()), keyId.text(), List.of());
              }
            })
        .ifPresent(full -> reply.refused(full, keyId.text(), List.of()));
  }

  private byte[] sealed(ByteString plaintext, String keyringId, KeyId keyId, Kek kek) {
    byte[] plain = plaintext.toByteArray();
    try (Dek dek = Dek.random(random)) {
      byte[] wrapped = workshop.wrap(kek, dek, KmsAad.ofDek(keyringId, keyId.text()));
      byte[] aad = KmsAad.ofValue(keyringId, keyId.text(), wrapped);
      return RandomNonceAead.seal(dek, aad, Sealed.ownHead(wrapped), plain, random);
    } finally {
      Arrays.fill(plain, (byte) 0);
    }
  }

  private static EncryptResponse.Builder response(KeyId keyId, byte[] sealed) {
    return EncryptResponse.newBuilder()
        .setCiphertext(UnsafeByteOperations.unsafeWrap(sealed))
        .setKeyId(keyId.text());
  }
}
