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
import keyfleet.kms.v2.EncryptRequest;
import keyfleet.kms.v2.EncryptResponse;

/// Answers Encrypt calls: at once under the local KEK, or, without the key hierarchy, under a new
/// key that the remote wraps.
final class EncryptHandler {
  private static final List<String> ANNOTATIONS = List.of(KmsCiphertext.ANNOTATION);

  private final Supplier<Announcement> announcement;
  private final LocalKekFactory factory;
  private final UnwrapCoalescer coalescer;
  private final LocalKekUsage usage;
  private final CallRecorder recorder;
  private final SecureRandom random = new SecureRandom();

  EncryptHandler(
      Supplier<Announcement> announcement,
      LocalKekFactory factory,
      UnwrapCoalescer coalescer,
      LocalKekUsage usage,
      CallRecorder recorder) {
    this.announcement = announcement;
    this.factory = factory;
    this.coalescer = coalescer;
    this.usage = usage;
    this.recorder = recorder;
  }

  void handle(EncryptRequest request, CallReply<EncryptResponse> reply) {
    Optional<CallRefusal> invalid = RequestValidator.validate(request);
    if (invalid.isPresent()) {
      reply.refuse(invalid.get(), "", List.of());
      return;
    }
    Announcement now = announcement.get();
    switch (now.writeKey()) {
      case LocalWriteKey(KmsKeyId keyId, LocalKek kek) ->
          encryptLocally(request, keyId, kek, reply);
      case RemoteWriteKey(KmsKeyId keyId, Kek kek) ->
          encryptRemotely(request, now.keyringId(), keyId, kek, reply);
      case NoWriteKey(CallRefusal refusal) -> reply.refuse(refusal, "", List.of());
    }
  }

  private void encryptLocally(
      EncryptRequest request, KmsKeyId keyId, LocalKek kek, CallReply<EncryptResponse> reply) {
    if (!usage.tryUse(kek)) {
      reply.refuse(CallRefusal.LOCAL_KEK_EXHAUSTED, keyId.text(), List.of());
      return;
    }
    long startNanos = recorder.now();
    byte[] plain = request.getPlaintext().toByteArray();
    byte[] sealed = kek.seal(KmsCiphertext.localKekHeader(), plain, random);
    Arrays.fill(plain, (byte) 0);
    recorder.recordLocalWork(startNanos);
    EncryptResponse response =
        response(keyId, sealed)
            .putAnnotations(KmsCiphertext.ANNOTATION, kek.id().wrapped())
            .build();
    reply.complete(response, keyId.text(), ANNOTATIONS);
  }

  private void encryptRemotely(
      EncryptRequest request,
      String keyringId,
      KmsKeyId keyId,
      Kek kek,
      CallReply<EncryptResponse> reply) {
    reply.prepareAsync(keyId.text(), List.of());
    coalescer
        .runUnshared(
            reply,
            () -> {
              try {
                byte[] sealed = seal(request.getPlaintext(), keyringId, keyId, kek);
                if (sealed.length > KmsCiphertext.MAX_BYTES) {
                  reply.refuse(
                      RequestValidator.ciphertextTooLong(sealed.length), keyId.text(), List.of());
                } else {
                  reply.complete(response(keyId, sealed).build(), keyId.text(), List.of());
                }
              } catch (KekUnavailableException e) {
                reply.refuse(CallRefusal.unavailable(e.getMessage()), keyId.text(), List.of());
              }
            })
        .ifPresent(full -> reply.refuse(full, keyId.text(), List.of()));
  }

  private byte[] seal(ByteString plaintext, String keyringId, KmsKeyId keyId, Kek kek) {
    byte[] plain = plaintext.toByteArray();
    try (Dek dek = Dek.random(random)) {
      byte[] wrapped = factory.wrap(kek, dek, keyringId, KmsAad.ofDek(keyringId, keyId.text()));
      byte[] aad = KmsAad.ofValue(keyringId, keyId.text(), wrapped);
      return RandomNonceAead.seal(
          dek, aad, KmsCiphertext.embeddedKeyHeader(wrapped), plain, random);
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
