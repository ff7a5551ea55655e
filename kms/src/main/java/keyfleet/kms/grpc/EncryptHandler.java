package keyfleet.kms.grpc;

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
import keyfleet.kms.KmsKeyId;
import keyfleet.kms.localkek.KmsCiphertext;
import keyfleet.kms.localkek.LocalKek;
import keyfleet.kms.localkek.LocalKekFactory;
import keyfleet.kms.localkek.LocalKekUsage;
import keyfleet.kms.state.Announcement;
import keyfleet.kms.state.Announcement.LocalWriteKey;
import keyfleet.kms.state.Announcement.NoWriteKey;
import keyfleet.kms.state.Announcement.RemoteWriteKey;
import keyfleet.kms.state.CallRefusal;
import keyfleet.kms.state.CallRefusal.Kind;
import keyfleet.kms.v2.EncryptRequest;
import keyfleet.kms.v2.EncryptResponse;

/// Encrypt: under the local KEK at once, or, without the hierarchy, under a key that the remote
/// wraps.
public final class EncryptHandler {
  public static final CallRefusal SPENT =
      new CallRefusal(
          Kind.SPENT,
          "the local KEK is used up, and no other could be made: the key's provider is needed");

  private static final List<String> ANNOTATIONS = List.of(KmsCiphertext.ANNOTATION);

  private final Supplier<Announcement> announced;
  private final LocalKekFactory workshop;
  private final UnwrapCoalescer flights;
  private final LocalKekUsage usage;
  private final CallRecorder counter;
  private final SecureRandom random = new SecureRandom();

  public EncryptHandler(
      Supplier<Announcement> announced,
      LocalKekFactory workshop,
      UnwrapCoalescer flights,
      LocalKekUsage usage,
      CallRecorder counter) {
    this.announced = announced;
    this.workshop = workshop;
    this.flights = flights;
    this.usage = usage;
    this.counter = counter;
  }

  void answer(EncryptRequest request, CallReply<EncryptResponse> reply) {
    Optional<CallRefusal> bad = RequestValidator.check(request);
    if (bad.isPresent()) {
      reply.refused(bad.get(), "", List.of());
      return;
    }
    Announcement now = announced.get();
    switch (now.writing()) {
      case LocalWriteKey(KmsKeyId keyId, LocalKek kek) -> local(request, keyId, kek, reply);
      case RemoteWriteKey(KmsKeyId keyId, Kek kek) ->
          remote(request, now.keyringId(), keyId, kek, reply);
      case NoWriteKey(CallRefusal why) -> reply.refused(why, "", List.of());
    }
  }

  private void local(
      EncryptRequest request, KmsKeyId keyId, LocalKek kek, CallReply<EncryptResponse> reply) {
    if (!usage.admits(kek)) {
      reply.refused(SPENT, keyId.text(), List.of());
      return;
    }
    long began = counter.now();
    byte[] plain = request.getPlaintext().toByteArray();
    byte[] sealed = kek.seal(KmsCiphertext.localHead(), plain, random);
    Arrays.fill(plain, (byte) 0);
    counter.local(began);
    EncryptResponse response =
        response(keyId, sealed)
            .putAnnotations(KmsCiphertext.ANNOTATION, kek.name().wrapped())
            .build();
    reply.done(response, keyId.text(), ANNOTATIONS);
  }

  private void remote(
      EncryptRequest request,
      String keyringId,
      KmsKeyId keyId,
      Kek kek,
      CallReply<EncryptResponse> reply) {
    reply.later(keyId.text(), List.of());
    flights
        .alone(
            reply.ticket(),
            () -> {
              try {
                byte[] sealed = sealed(request.getPlaintext(), keyringId, keyId, kek);
                if (sealed.length > KmsCiphertext.MAX_BYTES) {
                  reply.refused(RequestValidator.tooLong(sealed.length), keyId.text(), List.of());
                } else {
                  reply.done(response(keyId, sealed).build(), keyId.text(), List.of());
                }
              } catch (KekUnavailableException e) {
                reply.refused(CallRefusal.notNow(e.getMessage()), keyId.text(), List.of());
              }
            })
        .ifPresent(full -> reply.refused(full, keyId.text(), List.of()));
  }

  private byte[] sealed(ByteString plaintext, String keyringId, KmsKeyId keyId, Kek kek) {
    byte[] plain = plaintext.toByteArray();
    try (Dek dek = Dek.random(random)) {
      byte[] wrapped = workshop.wrap(kek, dek, KmsAad.ofDek(keyringId, keyId.text()));
      byte[] aad = KmsAad.ofValue(keyringId, keyId.text(), wrapped);
      return RandomNonceAead.seal(dek, aad, KmsCiphertext.ownHead(wrapped), plain, random);
    } finally {
      Arrays.fill(plain, (byte) 0);
    }
  }

  private static EncryptResponse.Builder response(KmsKeyId keyId, byte[] sealed) {
    return EncryptResponse.newBuilder()
        .setCiphertext(UnsafeByteOperations.unsafeWrap(sealed))
        .setKeyId(keyId.text());
  }
}
