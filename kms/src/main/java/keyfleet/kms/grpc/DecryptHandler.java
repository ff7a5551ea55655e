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

/// Answers Decrypt calls. It refuses what it can before it asks the remote: an invalid call, an
/// unknown key_id, a version in the wrong state. The annotation decides where the key is, whether
/// or not this plugin itself writes with local KEKs.
final class DecryptHandler {
  /// Does not say whether the key, the key_id or the bytes are wrong.
  private static final CallRefusal UNREADABLE =
      CallRefusal.invalidRequest(
          "the ciphertext was not sealed by this keyring under this key_id, or it was changed");

  private final Supplier<Announcement> announcement;
  private final LocalKekFactory factory;
  private final UnwrapCoalescer coalescer;
  private final CallRecorder recorder;

  DecryptHandler(
      Supplier<Announcement> announcement,
      LocalKekFactory factory,
      UnwrapCoalescer coalescer,
      CallRecorder recorder) {
    this.announcement = announcement;
    this.factory = factory;
    this.coalescer = coalescer;
    this.recorder = recorder;
  }

  /// A call whose key_id is known.
  private record DecryptCall(
      DecryptRequest request, CallReply<DecryptResponse> reply, KmsCiphertext ciphertext) {
    void prepareAsync() {
      reply.prepareAsync(request.getKeyId(), annotationNames());
    }

    void refuse(CallRefusal refusal) {
      reply.refuse(refusal, request.getKeyId(), annotationNames());
    }

    void complete(byte[] plain) {
      DecryptResponse response =
          DecryptResponse.newBuilder().setPlaintext(UnsafeByteOperations.unsafeWrap(plain)).build();
      reply.complete(response, request.getKeyId(), annotationNames());
    }

    private Collection<String> annotationNames() {
      return request.getAnnotationsMap().keySet();
    }
  }

  void handle(DecryptRequest request, CallReply<DecryptResponse> reply) {
    Announcement now = announcement.get();
    Optional<CallRefusal> invalid =
        RequestValidator.validate(request).or(() -> checkKeyId(now, request.getKeyId()));
    if (invalid.isPresent()) {
      reply.refuse(invalid.get(), request.getKeyId(), request.getAnnotationsMap().keySet());
      return;
    }
    ByteString annotation =
        request.getAnnotationsOrDefault(KmsCiphertext.ANNOTATION, ByteString.EMPTY);
    Optional<KmsCiphertext> ciphertext = KmsCiphertext.parse(request.getCiphertext());
    if (ciphertext.isEmpty() || ciphertext.get().isSealedUnderLocalKek() == annotation.isEmpty()) {
      reply.refuse(UNREADABLE, request.getKeyId(), request.getAnnotationsMap().keySet());
      return;
    }
    DecryptCall call = new DecryptCall(request, reply, ciphertext.get());
    if (ciphertext.get().isSealedUnderLocalKek()) {
      decryptLocally(now, call, new LocalKek.Id(request.getKeyId(), annotation));
    } else {
      decryptRemotely(now, call);
    }
  }

  private static Optional<CallRefusal> checkKeyId(Announcement now, String keyId) {
    KnownKeyId knownKeyId = now.knownKeyIds().get(keyId);
    if (knownKeyId == null) {
      return Optional.of(
          new CallRefusal(
              Kind.UNKNOWN_KEY,
              now.snapshot() == null
                  ? "this plugin knows no key yet"
                  : "this plugin does not know the key_id: it belongs to another keyring, or the"
                      + " plugin has not read the newest keystore"));
    }
    return switch (knownKeyId.state()) {
      case ANNOUNCED, STAGED, ACTIVE, DECRYPT_ONLY -> Optional.empty();
      case DISABLED, DESTROYING, DESTROYED ->
          Optional.of(
              CallRefusal.actionRequired(
                  "%s, which this key_id names, is %s"
                      .formatted(knownKeyId.version(), knownKeyId.state())));
    };
  }

  private void decryptLocally(Announcement now, DecryptCall call, LocalKek.Id id) {
    LocalKek cached = factory.findCached(id);
    if (cached != null) {
      open(cached, call);
      return;
    }
    call.prepareAsync();
    coalescer
        .unwrapShared(
            call.reply().pendingCall(),
            id,
            () -> unwrapLocalKek(now, id),
            result -> finish(result, call))
        .ifPresent(call::refuse);
  }

  private void open(LocalKek kek, DecryptCall call) {
    long startNanos = recorder.now();
    Optional<byte[]> plain =
        kek.open(call.request().getCiphertext().toByteArray(), call.ciphertext().payloadOffset());
    recorder.recordLocalWork(startNanos);
    plain.ifPresentOrElse(call::complete, () -> call.refuse(UNREADABLE));
  }

  private UnwrapResult unwrapLocalKek(Announcement now, LocalKek.Id id) {
    try {
      Optional<Kek> kek = findKek(now, id.keyId());
      if (kek.isEmpty()) {
        return new UnwrapFailed(notLoaded(now, id.keyId()));
      }
      return factory
          .unwrap(now.keyringId(), id, kek.get())
          .<UnwrapResult>map(Unwrapped::new)
          .orElseGet(() -> new UnwrapFailed(UNREADABLE));
    } catch (KekUnavailableException e) {
      return new UnwrapFailed(CallRefusal.unavailable(e.getMessage()));
    }
  }

  private void finish(UnwrapResult result, DecryptCall call) {
    switch (result) {
      case Unwrapped(LocalKek kek) -> open(kek, call);
      case UnwrapFailed(CallRefusal refusal) -> call.refuse(refusal);
    }
  }

  private void decryptRemotely(Announcement now, DecryptCall call) {
    call.prepareAsync();
    coalescer
        .runUnshared(call.reply().pendingCall(), () -> unwrapAndOpen(now, call))
        .ifPresent(call::refuse);
  }

  private void unwrapAndOpen(Announcement now, DecryptCall call) {
    String keyId = call.request().getKeyId();
    byte[] wrapped = call.ciphertext().wrapped().toByteArray();
    try {
      Optional<Kek> kek = findKek(now, keyId);
      if (kek.isEmpty()) {
        call.refuse(notLoaded(now, keyId));
        return;
      }
      Optional<Dek> dek = factory.unwrap(kek.get(), wrapped, KmsAad.ofDek(now.keyringId(), keyId));
      byte[] aad = KmsAad.ofValue(now.keyringId(), keyId, wrapped);
      dek.flatMap(it -> openValue(it, aad, call))
          .ifPresentOrElse(call::complete, () -> call.refuse(UNREADABLE));
    } catch (KekUnavailableException e) {
      call.refuse(CallRefusal.unavailable(e.getMessage()));
    }
  }

  private static Optional<byte[]> openValue(Dek key, byte[] aad, DecryptCall call) {
    try (key) {
      return RandomNonceAead.open(
          key,
          aad,
          call.request().getCiphertext().toByteArray(),
          call.ciphertext().payloadOffset());
    }
  }

  private Optional<Kek> findKek(Announcement now, String keyId) {
    KnownKeyId knownKeyId = now.knownKeyIds().get(keyId);
    return knownKeyId == null ? Optional.empty() : factory.findKek(knownKeyId.version());
  }

  private static CallRefusal notLoaded(Announcement now, String keyId) {
    KnownKeyId knownKeyId = now.knownKeyIds().get(keyId);
    return CallRefusal.unavailable(
        "%s, which this key_id names, is not loaded in this plugin"
            .formatted(knownKeyId == null ? "the version" : knownKeyId.version()));
  }
}
