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
  public static final CallRefusal LOCAL_KEK_EXHAUSTED =
      new CallRefusal(
          Kind.LIMIT_REACHED,
          "the local KEK is used up, and no other could be made: the key's provider is needed");

  private static final List<String> ANNOTATIONS = List.of(KmsCiphertext.ANNOTATION);

  private final Supplier<Announcement> announcement;
  private final LocalKekFactory localKekFactory;
  private final UnwrapCoalescer coalescer;
  private final LocalKekUsage localKekUsage;
  private final CallRecorder callRecorder;
  private final SecureRandom random = new SecureRandom();

  public EncryptHandler(
      Supplier<Announcement> announcement,
      LocalKekFactory localKekFactory,
      UnwrapCoalescer coalescer,
      LocalKekUsage localKekUsage,
      CallRecorder callRecorder) {
    this.announcement = announcement;
    this.localKekFactory = localKekFactory;
    this.coalescer = coalescer;
    this.localKekUsage = localKekUsage;
    this.callRecorder = callRecorder;
  }

  void handle(EncryptRequest request, CallReply<EncryptResponse> callReply) {
    Optional<CallRefusal> bad = RequestValidator.validate(request);
    if (bad.isPresent()) {
      callReply.refuse(bad.get(), "", List.of());
      return;
    }
    Announcement now = announcement.get();
    switch (now.writeKey()) {
      case LocalWriteKey(KmsKeyId kmsKeyId, LocalKek kek) ->
          encryptLocally(request, kmsKeyId, kek, callReply);
      case RemoteWriteKey(KmsKeyId kmsKeyId, Kek kek) ->
          encryptRemotely(request, now.keyringId(), kmsKeyId, kek, callReply);
      case NoWriteKey(CallRefusal why) -> callReply.refuse(why, "", List.of());
    }
  }

  private void encryptLocally(
      EncryptRequest request,
      KmsKeyId kmsKeyId,
      LocalKek kek,
      CallReply<EncryptResponse> callReply) {
    if (!localKekUsage.tryUse(kek)) {
      callReply.refuse(LOCAL_KEK_EXHAUSTED, kmsKeyId.text(), List.of());
      return;
    }
    long began = callRecorder.now();
    byte[] plain = request.getPlaintext().toByteArray();
    byte[] sealed = kek.seal(KmsCiphertext.localKekHeader(), plain, random);
    Arrays.fill(plain, (byte) 0);
    callRecorder.recordLocalWork(began);
    EncryptResponse response =
        response(kmsKeyId, sealed)
            .putAnnotations(KmsCiphertext.ANNOTATION, kek.id().wrapped())
            .build();
    callReply.complete(response, kmsKeyId.text(), ANNOTATIONS);
  }

  private void encryptRemotely(
      EncryptRequest request,
      String keyringId,
      KmsKeyId kmsKeyId,
      Kek kek,
      CallReply<EncryptResponse> callReply) {
    callReply.prepareAsync(kmsKeyId.text(), List.of());
    coalescer
        .runUnshared(
            callReply.pendingCall(),
            () -> {
              try {
                byte[] sealed = seal(request.getPlaintext(), keyringId, kmsKeyId, kek);
                if (sealed.length > KmsCiphertext.MAX_BYTES) {
                  callReply.refuse(
                      RequestValidator.ciphertextTooLong(sealed.length),
                      kmsKeyId.text(),
                      List.of());
                } else {
                  callReply.complete(
                      response(kmsKeyId, sealed).build(), kmsKeyId.text(), List.of());
                }
              } catch (KekUnavailableException e) {
                callReply.refuse(
                    CallRefusal.unavailable(e.getMessage()), kmsKeyId.text(), List.of());
              }
            })
        .ifPresent(full -> callReply.refuse(full, kmsKeyId.text(), List.of()));
  }

  private byte[] seal(ByteString plaintext, String keyringId, KmsKeyId kmsKeyId, Kek kek) {
    byte[] plain = plaintext.toByteArray();
    try (Dek dek = Dek.random(random)) {
      byte[] wrapped = localKekFactory.wrap(kek, dek, KmsAad.ofDek(keyringId, kmsKeyId.text()));
      byte[] aad = KmsAad.ofValue(keyringId, kmsKeyId.text(), wrapped);
      return RandomNonceAead.seal(
          dek, aad, KmsCiphertext.embeddedKeyHeader(wrapped), plain, random);
    } finally {
      Arrays.fill(plain, (byte) 0);
    }
  }

  private static EncryptResponse.Builder response(KmsKeyId kmsKeyId, byte[] sealed) {
    return EncryptResponse.newBuilder()
        .setCiphertext(UnsafeByteOperations.unsafeWrap(sealed))
        .setKeyId(kmsKeyId.text());
  }
}
