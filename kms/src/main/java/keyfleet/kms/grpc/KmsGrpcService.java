package keyfleet.kms.grpc;

import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.Supplier;
import keyfleet.kms.KmsKeyId;
import keyfleet.kms.localkek.LocalKek;
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

/// The contract's methods, called on an event loop: nothing here waits.
public final class KmsGrpcService extends KeyManagementServiceImplBase {
  private static final String VERSION = "v2";
  private static final String HEALTHY = "ok";

  private final Supplier<Announcement> announcement;
  private final EncryptHandler encryptHandler;
  private final DecryptHandler decryptHandler;
  private final CallRecorder callRecorder;

  public KmsGrpcService(
      Supplier<Announcement> announcement,
      EncryptHandler encryptHandler,
      DecryptHandler decryptHandler,
      CallRecorder callRecorder) {
    this.announcement = announcement;
    this.encryptHandler = encryptHandler;
    this.decryptHandler = decryptHandler;
    this.callRecorder = callRecorder;
  }

  /// Either healthy or an error: an API server that is told of trouble beside a key_id goes on
  /// writing under it (kubernetes/kubernetes issue 138950).
  @Override
  public void status(StatusRequest request, StreamObserver<StatusResponse> to) {
    CallReply<StatusResponse> callReply = new CallReply<>(callRecorder, KmsMethod.STATUS, "-", to);
    switch (announcement.get().writeKey()) {
      case LocalWriteKey(KmsKeyId kmsKeyId, LocalKek kek) when !kek.isExhausted() ->
          healthy(callReply, kmsKeyId);
      case LocalWriteKey(KmsKeyId kmsKeyId, _) ->
          callReply.refuse(EncryptHandler.LOCAL_KEK_EXHAUSTED, kmsKeyId.text(), List.of());
      case RemoteWriteKey(KmsKeyId kmsKeyId, _) -> healthy(callReply, kmsKeyId);
      case NoWriteKey(CallRefusal why) -> callReply.refuse(why, "", List.of());
    }
  }

  private static void healthy(CallReply<StatusResponse> callReply, KmsKeyId kmsKeyId) {
    StatusResponse status =
        StatusResponse.newBuilder()
            .setVersion(VERSION)
            .setHealthz(HEALTHY)
            .setKeyId(kmsKeyId.text())
            .build();
    callReply.complete(status, kmsKeyId.text(), List.of());
  }

  @Override
  public void encrypt(EncryptRequest request, StreamObserver<EncryptResponse> to) {
    encryptHandler.handle(
        request, new CallReply<>(callRecorder, KmsMethod.ENCRYPT, request.getUid(), to));
  }

  @Override
  public void decrypt(DecryptRequest request, StreamObserver<DecryptResponse> to) {
    decryptHandler.handle(
        request, new CallReply<>(callRecorder, KmsMethod.DECRYPT, request.getUid(), to));
  }
}
