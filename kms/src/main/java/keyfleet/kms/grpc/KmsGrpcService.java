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

  private final Supplier<Announcement> announced;
  private final EncryptHandler encryption;
  private final DecryptHandler decryption;
  private final CallRecorder counter;

  public KmsGrpcService(
      Supplier<Announcement> announced,
      EncryptHandler encryption,
      DecryptHandler decryption,
      CallRecorder counter) {
    this.announced = announced;
    this.encryption = encryption;
    this.decryption = decryption;
    this.counter = counter;
  }

  /// Either healthy or an error: an API server that is told of trouble beside a key_id goes on
  /// writing under it (kubernetes/kubernetes issue 138950).
  @Override
  public void status(StatusRequest request, StreamObserver<StatusResponse> to) {
    CallReply<StatusResponse> reply = new CallReply<>(counter, KmsMethod.STATUS, "-", to);
    switch (announced.get().writing()) {
      case LocalWriteKey(KmsKeyId keyId, LocalKek kek) when !kek.isSpent() -> healthy(reply, keyId);
      case LocalWriteKey(KmsKeyId keyId, _) ->
          reply.refused(EncryptHandler.SPENT, keyId.text(), List.of());
      case RemoteWriteKey(KmsKeyId keyId, _) -> healthy(reply, keyId);
      case NoWriteKey(CallRefusal why) -> reply.refused(why, "", List.of());
    }
  }

  private static void healthy(CallReply<StatusResponse> reply, KmsKeyId keyId) {
    StatusResponse status =
        StatusResponse.newBuilder()
            .setVersion(VERSION)
            .setHealthz(HEALTHY)
            .setKeyId(keyId.text())
            .build();
    reply.done(status, keyId.text(), List.of());
  }

  @Override
  public void encrypt(EncryptRequest request, StreamObserver<EncryptResponse> to) {
    encryption.answer(request, new CallReply<>(counter, KmsMethod.ENCRYPT, request.getUid(), to));
  }

  @Override
  public void decrypt(DecryptRequest request, StreamObserver<DecryptResponse> to) {
    decryption.answer(request, new CallReply<>(counter, KmsMethod.DECRYPT, request.getUid(), to));
  }
}
