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
      CallRefusal.invalidRequest(
          "this was not sealed by this keyring under this key_id, or was changed");

  private final Supplier<Announcement> announcement;
  private final LocalKekFactory localKekFactory;
  private final UnwrapCoalescer coalescer;
  private final CallRecorder callRecorder;

  public DecryptHandler(
      Supplier<Announcement> announcement,
      LocalKekFactory localKekFactory,
      UnwrapCoalescer coalescer,
      CallRecorder callRecorder) {
    this.announcement = announcement;
    this.localKekFactory = localKekFactory;
    this.coalescer = coalescer;
    this.callRecorder = callRecorder;
  }

  /// A call whose key_id is known.
  private record DecryptCall(
      DecryptRequest request, CallReply<DecryptResponse> callReply, KmsCiphertext kmsCiphertext) {
    void prepareAsync() {
      callReply.prepareAsync(request.getKeyId(), annotationNames());
    }

    void refuse(CallRefusal why) {
      callReply.refuse(why, request.getKeyId(), annotationNames());
    }

    void complete(byte[] plain) {
      DecryptResponse response =
          DecryptResponse.newBuilder().setPlaintext(UnsafeByteOperations.unsafeWrap(plain)).build();
      callReply.complete(response, request.getKeyId(), annotationNames());
    }

    private Collection<String> annotationNames() {
      return request.getAnnotationsMap().keySet();
    }
  }

  void handle(DecryptRequest request, CallReply<DecryptResponse> callReply) {
    Announcement now = announcement.get();
    Optional<CallRefusal> bad =
        RequestValidator.validate(request).or(() -> checkKeyId(now, request.getKeyId()));
    if (bad.isPresent()) {
      callReply.refuse(bad.get(), request.getKeyId(), request.getAnnotationsMap().keySet());
      return;
    }
    ByteString annotation =
        request.getAnnotationsOrDefault(KmsCiphertext.ANNOTATION, ByteString.EMPTY);
    Optional<KmsCiphertext> kmsCiphertext = KmsCiphertext.parse(request.getCiphertext());
    if (kmsCiphertext.isEmpty() || kmsCiphertext.get().usesLocalKek() == annotation.isEmpty()) {
      callReply.refuse(UNREADABLE, request.getKeyId(), request.getAnnotationsMap().keySet());
      return;
    }
    DecryptCall call = new DecryptCall(request, callReply, kmsCiphertext.get());
    if (kmsCiphertext.get().usesLocalKek()) {
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
              now.pluginSnapshot() == null
                  ? "this plugin knows no key yet"
                  : "this plugin knows no such key_id: another keyring's, or not heard of yet"));
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
    LocalKek held = localKekFactory.findCached(id);
    if (held != null) {
      open(held, call);
      return;
    }
    call.prepareAsync();
    coalescer
        .unwrapShared(
            call.callReply().pendingCall(),
            id,
            () -> unwrapLocalKek(now, id),
            result -> finish(result, call))
        .ifPresent(call::refuse);
  }

  private void open(LocalKek kek, DecryptCall call) {
    long began = callRecorder.now();
    Optional<byte[]> plain =
        kek.open(
            call.request().getCiphertext().toByteArray(), call.kmsCiphertext().payloadOffset());
    callRecorder.recordLocalWork(began);
    plain.ifPresentOrElse(call::complete, () -> call.refuse(UNREADABLE));
  }

  private UnwrapResult unwrapLocalKek(Announcement now, LocalKek.Id id) {
    try {
      Optional<Kek> kek = findKek(now, id.keyId());
      if (kek.isEmpty()) {
        return new UnwrapFailed(notLoaded(now, id.keyId()));
      }
      return localKekFactory
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
      case UnwrapFailed(CallRefusal why) -> call.refuse(why);
    }
  }

  private void decryptRemotely(Announcement now, DecryptCall call) {
    call.prepareAsync();
    coalescer
        .runUnshared(call.callReply().pendingCall(), () -> unwrapAndOpen(now, call))
        .ifPresent(call::refuse);
  }

  private void unwrapAndOpen(Announcement now, DecryptCall call) {
    String keyId = call.request().getKeyId();
    byte[] wrapped = call.kmsCiphertext().wrapped().toByteArray();
    try {
      Optional<Kek> kek = findKek(now, keyId);
      if (kek.isEmpty()) {
        call.refuse(notLoaded(now, keyId));
        return;
      }
      Optional<Dek> dek =
          localKekFactory.unwrap(kek.get(), wrapped, KmsAad.ofDek(now.keyringId(), keyId));
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
          call.kmsCiphertext().payloadOffset());
    }
  }

  private Optional<Kek> findKek(Announcement now, String keyId) {
    KnownKeyId knownKeyId = now.knownKeyIds().get(keyId);
    return knownKeyId == null ? Optional.empty() : localKekFactory.findKek(knownKeyId.version());
  }

  private static CallRefusal notLoaded(Announcement now, String keyId) {
    KnownKeyId knownKeyId = now.knownKeyIds().get(keyId);
    return CallRefusal.unavailable(
        "%s, which this key_id names, is not loaded in this plugin"
            .formatted(knownKeyId == null ? "the version" : knownKeyId.version()));
  }
}
