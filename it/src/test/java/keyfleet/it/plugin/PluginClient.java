package keyfleet.it.plugin;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import keyfleet.kms.v2.DecryptRequest;
import keyfleet.kms.v2.EncryptRequest;
import keyfleet.kms.v2.EncryptResponse;
import keyfleet.kms.v2.KeyManagementServiceGrpc;
import keyfleet.kms.v2.KeyManagementServiceGrpc.KeyManagementServiceBlockingStub;
import keyfleet.kms.v2.StatusRequest;

/// Calls a plugin at its socket as an API server does.
public final class PluginClient implements AutoCloseable {
  private static final long LIMIT_SECONDS = 60;

  private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final ManagedChannel channel;
  private final Metadata metadata = new Metadata();

  PluginClient(Path socket) {
    this(socket, Map.of());
  }

  /// A client that sends the headers with each call.
  PluginClient(Path socket, Map<String, String> headers) {
    headers.forEach((name, value) ->
        metadata.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value));
    channel = channel(socket, loop);
  }

  public static ManagedChannel channel(Path socket, EventLoopGroup loop) {
    return NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
        .channelType(NioDomainSocketChannel.class)
        .eventLoopGroup(loop)
        .overrideAuthority("localhost")
        .usePlaintext()
        .build();
  }

  private KeyManagementServiceBlockingStub plugin() {
    return KeyManagementServiceGrpc.newBlockingStub(channel)
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata))
        .withWaitForReady()
        .withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  String keyId() {
    return plugin().status(StatusRequest.getDefaultInstance()).getKeyId();
  }

  EncryptResponse encrypt(String text) {
    return plugin()
        .encrypt(
            EncryptRequest.newBuilder()
                .setPlaintext(ByteString.copyFromUtf8(text))
                .setUid("it-encrypt")
                .build());
  }

  String decrypt(EncryptResponse stored) {
    return plugin()
        .decrypt(
            DecryptRequest.newBuilder()
                .setCiphertext(stored.getCiphertext())
                .setKeyId(stored.getKeyId())
                .putAllAnnotations(stored.getAnnotationsMap())
                .setUid("it-decrypt")
                .build())
        .getPlaintext()
        .toStringUtf8();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    var _ = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
