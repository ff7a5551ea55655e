package keyfleet.it.kube;

import com.google.protobuf.ByteString;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import keyfleet.kms.v2.DecryptRequest;
import keyfleet.kms.v2.DecryptResponse;
import keyfleet.kms.v2.EncryptRequest;
import keyfleet.kms.v2.EncryptResponse;
import keyfleet.kms.v2.KeyManagementServiceGrpc.KeyManagementServiceImplBase;
import keyfleet.kms.v2.StatusRequest;
import keyfleet.kms.v2.StatusResponse;

/// A plugin in this JVM with one fault. Its ciphertext is the plaintext with a prefix.
final class FaultyPlugin extends KeyManagementServiceImplBase implements AutoCloseable {
  /// The fault, and the error that an API server must report.
  enum PluginFault {
    NONE(""),
    /// Encrypt uses a new key, but Status still names the old one.
    STALE_STATUS("errGen=<nil>"),
    OTHER_BYTES("message authentication failed"),
    TOO_FEW_BYTES("read b s: no"),
    NO_KEY_ID("keyID is empty"),
    UNHEALTHY("not well"),
    /// Status is never answered.
    NO_ANSWER("DeadlineExceeded");

    private final String expectedError;

    PluginFault(String expectedError) {
      this.expectedError = expectedError;
    }

    String expectedError() {
      return expectedError;
    }
  }

  private static final ByteString PREFIX = ByteString.copyFromUtf8("sealed:");

  private final PluginFault fault;
  private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Server server;

  FaultyPlugin(Path socket, PluginFault fault) throws IOException {
    this.fault = fault;
    this.server =
        NettyServerBuilder.forAddress(
                UnixDomainSocketAddress.of(socket), InsecureServerCredentials.create())
            .channelType(NioServerDomainSocketChannel.class)
            .bossEventLoopGroup(loop)
            .workerEventLoopGroup(loop)
            .directExecutor()
            .addService(this)
            .build()
            .start();
  }

  @Override
  public void status(StatusRequest request, StreamObserver<StatusResponse> to) {
    if (fault == PluginFault.NO_ANSWER) {
      return;
    }
    answer(
        to,
        StatusResponse.newBuilder()
            .setVersion("v2")
            .setHealthz(fault == PluginFault.UNHEALTHY ? "not well" : "ok")
            .setKeyId(fault == PluginFault.STALE_STATUS ? "old" : keyId())
            .build());
  }

  private String keyId() {
    return fault == PluginFault.NO_KEY_ID ? "" : "new";
  }

  @Override
  public void encrypt(EncryptRequest request, StreamObserver<EncryptResponse> to) {
    answer(
        to,
        EncryptResponse.newBuilder()
            .setKeyId(keyId())
            .setCiphertext(PREFIX.concat(request.getPlaintext()))
            .build());
  }

  @Override
  public void decrypt(DecryptRequest request, StreamObserver<DecryptResponse> to) {
    ByteString plain = request.getCiphertext().substring(PREFIX.size());
    answer(to, DecryptResponse.newBuilder().setPlaintext(plaintextFor(plain)).build());
  }

  private ByteString plaintextFor(ByteString plain) {
    return switch (fault) {
      case OTHER_BYTES -> ByteString.copyFrom(new byte[plain.size()]);
      case TOO_FEW_BYTES -> plain.substring(1);
      case NONE, STALE_STATUS, NO_KEY_ID, UNHEALTHY, NO_ANSWER -> plain;
    };
  }

  private static <T> void answer(StreamObserver<T> to, T answer) {
    to.onNext(answer);
    to.onCompleted();
  }

  @Override
  public void close() {
    server.shutdownNow();
    var _ = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
