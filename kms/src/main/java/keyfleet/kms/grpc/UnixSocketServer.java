package keyfleet.kms.grpc;

import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import keyfleet.kms.PluginEvent;
import keyfleet.kms.PluginException;

/// The gRPC server at a unix socket: plaintext HTTP/2, for this process's user and root.
public final class UnixSocketServer implements AutoCloseable {
  private static final int ROOT = 0;

  /// An API server has one connection for each entry of its configuration.
  private static final int LOOPS = Math.min(2, Runtime.getRuntime().availableProcessors());

  /// Above all that is legal, so that what is too long gets a sentence.
  private static final int MAX_MESSAGE = 256 * 1024;

  private static final int MAX_HEADERS = 16 * 1024;

  /// Calls of one connection at a time.
  private static final int MAX_CALLS = 1_000;

  /// For the calls that are under way when the plugin is told to end.
  private static final Duration DRAIN = Duration.ofSeconds(5);

  private final SocketLock claim;
  private final EventLoopGroup loops;
  private final Server server;

  private UnixSocketServer(SocketLock claim, EventLoopGroup loops, Server server) {
    this.claim = claim;
    this.loops = loops;
    this.server = server;
  }

  /// Listens on return. Throws [PluginException] if it cannot.
  public static UnixSocketServer start(
      SocketPath path,
      SocketTransport socketTransport,
      ServerServiceDefinition service,
      Consumer<PluginEvent> events) {
    SocketLock claim = SocketLock.acquire(path);
    EventLoopGroup loops =
        new MultiThreadIoEventLoopGroup(
            LOOPS, new DefaultThreadFactory("keyfleet-kms", true), socketTransport.handlers());
    Server server =
        NettyServerBuilder.forAddress(
                socketTransport.address(path.path()), InsecureServerCredentials.create())
            .channelFactory(() -> peerCheckingChannel(socketTransport, events))
            .bossEventLoopGroup(loops)
            .workerEventLoopGroup(loops)
            .directExecutor() // nothing that waits is done on it
            .maxInboundMessageSize(MAX_MESSAGE)
            .maxInboundMetadataSize(MAX_HEADERS)
            .maxConcurrentCallsPerConnection(MAX_CALLS)
            .addService(service)
            .build();
    UnixSocketServer unixSocketServer = new UnixSocketServer(claim, loops, server);
    try {
      server.start();
      claim.restrictSocketMode();
    } catch (IOException | RuntimeException e) {
      unixSocketServer.close();
      throw new PluginException(
          "the socket %s cannot be listened at: %s".formatted(path, e.getMessage()),
          "another path for --listen",
          e);
    }
    events.accept(new PluginEvent.Listening(path.toString(), socketTransport.label()));
    return unixSocketServer;
  }

  /// Whoever connects is looked at before gRPC hears of it.
  private static ServerChannel peerCheckingChannel(
      SocketTransport socketTransport, Consumer<PluginEvent> events) {
    ServerChannel channel = socketTransport.channel();
    long own = SocketLock.ownUid();
    channel
        .pipeline()
        .addFirst(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext context, Object accepted) {
                Channel peer = (Channel) accepted;
                long uid = socketTransport.peerUid(peer);
                if (uid == own || uid == ROOT) {
                  context.fireChannelRead(accepted);
                } else {
                  peer.unsafe().closeForcibly();
                  events.accept(new PluginEvent.PeerRefused(uid));
                }
              }
            });
    return channel;
  }

  /// Calls that are under way end; then the socket is removed.
  @Override
  public void close() {
    try {
      server.shutdown();
      if (!server.awaitTermination(DRAIN.toMillis(), TimeUnit.MILLISECONDS)) {
        server.shutdownNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      server.shutdownNow();
    } finally {
      var _ = loops.shutdownGracefully(0, DRAIN.toMillis(), TimeUnit.MILLISECONDS);
      claim.close();
    }
  }
}
