package keyfleet.kms;

import com.google.protobuf.ByteString;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import keyfleet.kms.v2.DecryptRequest;
import keyfleet.kms.v2.EncryptRequest;
import keyfleet.kms.v2.EncryptResponse;
import keyfleet.kms.v2.KeyManagementServiceGrpc;
import keyfleet.kms.v2.KeyManagementServiceGrpc.KeyManagementServiceBlockingStub;
import keyfleet.kms.v2.StatusRequest;

/// Calls a plugin as many API servers would, so that the AOT cache learns what a plugin does. It
/// runs in its own process, because a plugin must not train the classes of a client.
public final class PluginTrainingRun {
  private static final int CALLS = 1_000;
  private static final int IN_FLIGHT = 64;
  private static final int MAX_STATUS_CALLS = 300;
  private static final long PAUSE_MILLIS = 100;
  private static final long LIMIT_SECONDS = 60;
  private static final int SEED_BYTES = 32;
  private static final String UID = "training-run";

  private final ManagedChannel channel;

  private PluginTrainingRun(ManagedChannel channel) {
    this.channel = channel;
  }

  /// Makes all calls and returns. Throws [StatusRuntimeException] if the plugin refuses one.
  public static void run(Path socket) throws InterruptedException {
    EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(
                UnixDomainSocketAddress.of(socket), InsecureChannelCredentials.create())
            .channelType(NioDomainSocketChannel.class)
            .eventLoopGroup(loop)
            .overrideAuthority("localhost")
            .build();
    try {
      new PluginTrainingRun(channel).run();
    } finally {
      channel.shutdownNow();
      var _ = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  private void run() throws InterruptedException {
    awaitHealth();
    EncryptRequest encrypt =
        EncryptRequest.newBuilder()
            .setPlaintext(ByteString.copyFrom(new byte[SEED_BYTES]))
            .setUid(UID)
            .build();
    EncryptResponse sealed = blockingStub().encrypt(encrypt);
    DecryptRequest decrypt =
        DecryptRequest.newBuilder()
            .setCiphertext(sealed.getCiphertext())
            .setKeyId(sealed.getKeyId())
            .putAllAnnotations(sealed.getAnnotationsMap())
            .setUid(UID)
            .build();
    var plugin =
        KeyManagementServiceGrpc.newStub(channel)
            .withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS);
    Semaphore slots = new Semaphore(IN_FLIGHT);
    for (int i = 0; i < CALLS; i++) {
      slots.acquire(3);
      plugin.status(StatusRequest.getDefaultInstance(), new CallCompletion<>(slots));
      plugin.encrypt(encrypt, new CallCompletion<>(slots));
      plugin.decrypt(decrypt, new CallCompletion<>(slots));
    }
    slots.acquire(IN_FLIGHT);
  }

  private KeyManagementServiceBlockingStub blockingStub() {
    return KeyManagementServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  private void awaitHealth() throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    for (int i = 0; i < MAX_STATUS_CALLS && !isHealthy(); i++) {
      channel.resetConnectBackoff();
      boolean _ = never.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private boolean isHealthy() {
    try {
      var _ = blockingStub().status(StatusRequest.getDefaultInstance());
      return true;
    } catch (StatusRuntimeException e) {
      return false; // it has only just started
    }
  }

  /// Releases the slot of a call when it ends, whatever its outcome.
  private record CallCompletion<T>(Semaphore slots) implements StreamObserver<T> {
    @Override
    public void onNext(T answer) {}

    @Override
    public void onError(Throwable error) {
      slots.release();
    }

    @Override
    public void onCompleted() {
      slots.release();
    }
  }
}
