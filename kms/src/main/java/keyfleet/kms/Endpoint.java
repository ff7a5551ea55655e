package keyfleet.kms;

import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.Supplier;
import keyfleet.kms.Announced.Locally;
import keyfleet.kms.Announced.Remotely;
import keyfleet.kms.Announced.Stopped;
import keyfleet.kms.v2.DecryptRequest;
import keyfleet.kms.v2.DecryptResponse;
import keyfleet.kms.v2.EncryptRequest;
import keyfleet.kms.v2.EncryptResponse;
import keyfleet.kms.v2.KeyManagementServiceGrpc.KeyManagementServiceImplBase;
import keyfleet.kms.v2.StatusRequest;
import keyfleet.kms.v2.StatusResponse;

/// The contract's methods, called on an event loop: nothing here waits.
final class Endpoint extends KeyManagementServiceImplBase {
  private static final String VERSION = "v2";
  private static final String HEALTHY = "ok";

  private final Supplier<Announced> announced;
  private final Encryption encryption;
  private final Decryption decryption;
  private final Counter counter;

  Endpoint(
      Supplier<Announced> announced,
      Encryption encryption,
      Decryption decryption,
      Counter counter) {
    this.announced = announced;
    this.encryption = encryption;
    this.decryption = decryption;
    this.counter = counter;
  }

  /// Either healthy or an error: an API server that is told of trouble beside a key_id goes on
  /// writing under it (kubernetes/kubernetes issue 138950).
  @Override
  public void status(StatusRequest request, StreamObserver<StatusResponse> to) {
    Reply<StatusResponse> reply = new Reply<>(counter, Method.STATUS, "-", to);
    switch (announced.get().writing()) {
      case Locally(KeyId keyId, LocalKek kek) when !kek.isSpent() -> healthy(reply, keyId);
      case Locally(KeyId keyId, _) -> reply.refused(Encryption.SPENT, keyId.text(), List.of());
      case Remotely(KeyId keyId, _) -> healthy(reply, keyId);
      case Stopped(Refusal why) -> reply.refused(why, "", List.of());
    }
  }

  private static void healthy(Reply<StatusResponse> reply, KeyId keyId) {
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
    encryption.answer(request, new Reply<>(counter, Method.ENCRYPT, request.getUid(), to));
  }

  @Override
  public void decrypt(DecryptRequest request, StreamObserver<DecryptResponse> to) {
    decryption.answer(request, new Reply<>(counter, Method.DECRYPT, request.getUid(), to));
  }
}
