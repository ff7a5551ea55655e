package keyfleet.kms.grpc;

import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.Supplier;
import keyfleet.kms.KmsKeyId;
import keyfleet.kms.localkek.LocalKek;
import keyfleet.kms.localkek.LocalKekFactory;
import keyfleet.kms.localkek.LocalKekUsage;
import keyfleet.kms.state.Announcement;
import keyfleet.kms.state.Announcement.LocalWriteKey;
import keyfleet.kms.state.Announcement.NoWriteKey;
import keyfleet.kms.state.Announcement.RemoteWriteKey;
import keyfleet.kms.state.CallRefusal;
import keyfleet.kms.v2.DecryptRequest;
import keyfleet.kms.v2.DecryptResponse;
import keyfleet.kms.v2.EncryptRequest;
import keyfleet.kms.v2.EncryptResponse;
import keyfleet.kms.v2.KeyManagementServiceGrpc.KeyManagementServiceImplBase;
import keyfleet.kms.v2.StatusRequest;
import keyfleet.kms.v2.StatusResponse;

/// The methods of the KMS v2 contract. They run on an event loop and never block.
public final class KmsGrpcService extends KeyManagementServiceImplBase {
  private static final String VERSION = "v2";
  private static final String HEALTHY = "ok";

  private final Supplier<Announcement> announcement;
  private final EncryptHandler encrypt;
  private final DecryptHandler decrypt;
  private final CallRecorder recorder;

  public KmsGrpcService(
      Supplier<Announcement> announcement,
      LocalKekFactory factory,
      LocalKekUsage usage,
      CallRecorder recorder) {
    UnwrapCoalescer coalescer = new UnwrapCoalescer();
    this.announcement = announcement;
    this.encrypt = new EncryptHandler(announcement, factory, coalescer, usage, recorder);
    this.decrypt = new DecryptHandler(announcement, factory, coalescer, recorder);
    this.recorder = recorder;
  }

  /// Answers healthy or fails: an API server that gets an unhealthy status with a key_id keeps
  /// writing under it (kubernetes/kubernetes issue 138950).
  @Override
  public void status(StatusRequest request, StreamObserver<StatusResponse> to) {
    CallReply<StatusResponse> reply = new CallReply<>(recorder, KmsMethod.STATUS, "-", to);
    reply.run(() -> answerStatus(reply));
  }

  private void answerStatus(CallReply<StatusResponse> reply) {
    switch (announcement.get().writeKey()) {
      case LocalWriteKey(KmsKeyId keyId, LocalKek kek) when !kek.isExhausted() ->
          healthy(reply, keyId);
      case LocalWriteKey(KmsKeyId keyId, _) ->
          reply.refuse(CallRefusal.LOCAL_KEK_EXHAUSTED, keyId.text(), List.of());
      case RemoteWriteKey(KmsKeyId keyId, _) -> healthy(reply, keyId);
      case NoWriteKey(CallRefusal refusal) -> reply.refuse(refusal, "", List.of());
    }
  }

  private static void healthy(CallReply<StatusResponse> reply, KmsKeyId keyId) {
    StatusResponse status =
        StatusResponse.newBuilder()
            .setVersion(VERSION)
            .setHealthz(HEALTHY)
            .setKeyId(keyId.text())
            .build();
    reply.complete(status, keyId.text(), List.of());
  }

  @Override
  public void encrypt(EncryptRequest request, StreamObserver<EncryptResponse> to) {
    CallReply<EncryptResponse> reply =
        new CallReply<>(recorder, KmsMethod.ENCRYPT, request.getUid(), to);
    reply.run(() -> encrypt.handle(request, reply));
  }

  @Override
  public void decrypt(DecryptRequest request, StreamObserver<DecryptResponse> to) {
    CallReply<DecryptResponse> reply =
        new CallReply<>(recorder, KmsMethod.DECRYPT, request.getUid(), to);
    reply.run(() -> decrypt.handle(request, reply));
  }
}
