package keyfleet.kms.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.crypto.Dek;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KmsAad;
import keyfleet.crypto.RandomNonceAead;
import keyfleet.kms.grpc.UnwrapCoalescer.UnwrapFailed;
import keyfleet.kms.grpc.UnwrapCoalescer.UnwrapResult;
import keyfleet.kms.grpc.UnwrapCoalescer.Unwrapped;
import keyfleet.kms.localkek.KmsCiphertext;
import keyfleet.kms.localkek.LocalKek;
import keyfleet.kms.localkek.LocalKekFactory;
import keyfleet.kms.localkek.WrappedKey;
import keyfleet.kms.state.Announcement;
import keyfleet.kms.state.Announcement.KnownKeyId;
import keyfleet.kms.state.CallRefusal;
import keyfleet.kms.state.CallRefusal.Kind;
import keyfleet.kms.state.PluginSnapshot;
import keyfleet.kms.v2.DecryptRequest;
import keyfleet.kms.v2.DecryptResponse;

/// Answers Decrypt calls. It refuses what it can before it asks the remote: an invalid call, a
/// value of another keyring, a version in the wrong state. The annotation decides where the key is,
/// whether or not this plugin itself writes with local KEKs.
///
/// No store is needed: the wrapped key names the version that wrapped it, and what that version
/// authenticates is served, also under a key_id that this plugin has not heard of. A peer with a
/// newer keystore may have written it.
final class DecryptHandler {
  /// Does not say whether the key, the key_id or the bytes are wrong.
  private static final CallRefusal UNREADABLE =
      CallRefusal.invalidRequest(
          "the ciphertext was not sealed by this keyring under this key_id, or it was changed");

  private static final CallRefusal TOO_MANY_UNKNOWN =
      new CallRefusal(
          Kind.LIMIT_REACHED,
          "too many values of key_ids that this plugin has not heard of; try again");

  private final Supplier<Announcement> announcement;
  private final LocalKekFactory factory;
  private final UnwrapCoalescer coalescer;
  private final CallRecorder recorder;
  private final UnwrapRateLimit unknownKeyIdLimit;

  DecryptHandler(
      Supplier<Announcement> announcement,
      LocalKekFactory factory,
      UnwrapCoalescer coalescer,
      CallRecorder recorder) {
    this.announcement = announcement;
    this.factory = factory;
    this.coalescer = coalescer;
    this.recorder = recorder;
    this.unknownKeyIdLimit = new UnwrapRateLimit(recorder::now);
  }

  /// A call of a valid form.
  ///
  /// @param storedKey the wrapped key as it is stored, in the annotation or in the ciphertext
  /// @param key the same, parsed
  private record DecryptCall(
      DecryptRequest request,
      CallReply<DecryptResponse> reply,
      KmsCiphertext ciphertext,
      ByteString storedKey,
      WrappedKey key) {
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
    Optional<CallRefusal> invalid = RequestValidator.validate(request);
    if (invalid.isPresent()) {
      reply.refuse(invalid.get(), request.getKeyId(), request.getAnnotationsMap().keySet());
      return;
    }
    Optional<DecryptCall> call = parse(request, reply);
    if (call.isEmpty()) {
      reply.refuse(UNREADABLE, request.getKeyId(), request.getAnnotationsMap().keySet());
      return;
    }
    Optional<CallRefusal> refusal = checkKey(announcement.get(), call.get());
    if (refusal.isPresent()) {
      call.get().refuse(refusal.get());
    } else if (call.get().ciphertext().isSealedUnderLocalKek()) {
      decryptLocally(call.get());
    } else {
      decryptRemotely(call.get());
    }
  }

  private static Optional<DecryptCall> parse(
      DecryptRequest request, CallReply<DecryptResponse> reply) {
    ByteString annotation =
        request.getAnnotationsOrDefault(KmsCiphertext.ANNOTATION, ByteString.EMPTY);
    return KmsCiphertext.parse(request.getCiphertext())
        .filter(it -> it.isSealedUnderLocalKek() != annotation.isEmpty())
        .flatMap(ciphertext -> {
          ByteString stored = annotation.isEmpty() ? ciphertext.wrapped() : annotation;
          return WrappedKey.parse(stored)
              .map(key -> new DecryptCall(request, reply, ciphertext, stored, key));
        });
  }

  private static Optional<CallRefusal> checkKey(Announcement now, DecryptCall call) {
    PluginSnapshot snapshot = now.snapshot();
    if (snapshot == null) {
      return Optional.empty(); // this plugin has never read its store
    }
    KekVersion version = call.key().version();
    KnownKeyId known = now.knownKeyIds().get(call.request().getKeyId());
    boolean isContradictory = known != null && !known.version().equals(version);
    if (isContradictory || !call.key().keyringId().equals(now.keyringId())) {
      return Optional.of(UNREADABLE);
    }
    return snapshot
        .keystore()
        .stateOf(version)
        .flatMap(state ->
            switch (state) {
              case ANNOUNCED, STAGED, ACTIVE, DECRYPT_ONLY -> Optional.empty();
              case WITHDRAWN, DISABLED, DESTROYING, DESTROYED ->
                  Optional.of(
                      CallRefusal.actionRequired(
                          "%s, which this key_id names, is %s".formatted(version, state)));
            });
  }

  private void decryptLocally(DecryptCall call) {
    LocalKek.Id id = new LocalKek.Id(call.request().getKeyId(), call.storedKey());
    LocalKek cached = factory.findCached(id);
    if (cached != null) {
      open(cached, call);
      return;
    }
    if (isLimited(call)) {
      call.refuse(TOO_MANY_UNKNOWN);
      return;
    }
    call.prepareAsync();
    coalescer
        .unwrapShared(
            call.reply(), id, () -> unwrapLocalKek(id, call.key()), result -> finish(result, call))
        .ifPresent(call::refuse);
  }

  private boolean isLimited(DecryptCall call) {
    return !announcement.get().knownKeyIds().containsKey(call.request().getKeyId())
        && !unknownKeyIdLimit.tryAcquire();
  }

  private void open(LocalKek kek, DecryptCall call) {
    long startNanos = recorder.now();
    Optional<byte[]> plain =
        kek.open(call.request().getCiphertext().toByteArray(), call.ciphertext().payloadOffset());
    recorder.recordLocalWork(startNanos);
    plain.ifPresentOrElse(call::complete, () -> call.refuse(UNREADABLE));
  }

  private UnwrapResult unwrapLocalKek(LocalKek.Id id, WrappedKey key) {
    try {
      Optional<Kek> kek = factory.findKek(key.version());
      if (kek.isEmpty()) {
        return new UnwrapFailed(notLoaded(key));
      }
      return factory
          .unwrap(id, key, kek.get())
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

  private void decryptRemotely(DecryptCall call) {
    if (isLimited(call)) {
      call.refuse(TOO_MANY_UNKNOWN);
      return;
    }
    call.prepareAsync();
    coalescer.runUnshared(call.reply(), () -> unwrapAndOpen(call)).ifPresent(call::refuse);
  }

  private void unwrapAndOpen(DecryptCall call) {
    String keyId = call.request().getKeyId();
    WrappedKey key = call.key();
    try {
      Optional<Kek> kek = factory.findKek(key.version());
      if (kek.isEmpty()) {
        call.refuse(notLoaded(key));
        return;
      }
      Optional<Dek> dek = factory.unwrap(kek.get(), key, KmsAad.ofDek(key.keyringId(), keyId));
      byte[] aad = KmsAad.ofValue(key.keyringId(), keyId, call.storedKey().toByteArray());
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

  private static CallRefusal notLoaded(WrappedKey key) {
    return CallRefusal.unavailable(
        "%s, which sealed this value, is not loaded in this plugin".formatted(key.version()));
  }
}
