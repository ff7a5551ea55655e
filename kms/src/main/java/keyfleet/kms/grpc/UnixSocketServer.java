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
import keyfleet.kms.PluginException;
import keyfleet.member.process.ProcessEvent;

/// The gRPC server at a unix socket: HTTP/2 without TLS, for this process's user and root.
public final class UnixSocketServer implements AutoCloseable {
  private static final int ROOT = 0;

  /// An API server has one connection for each entry of its configuration.
  private static final int LOOPS = Math.min(2, Runtime.getRuntime().availableProcessors());

  /// Larger than every valid message, so that a message that is too long gets a refusal with a
  /// sentence.
  private static final int MAX_MESSAGE = 256 * 1024;

  private static final int MAX_HEADERS = 16 * 1024;

  /// Calls of one connection at a time.
  private static final int MAX_CALLS = 1_000;

  /// The time that current calls have to end when the plugin stops.
  private static final Duration DRAIN = Duration.ofSeconds(5);

  private final SocketLock lock;
  private final EventLoopGroup loops;
  private final Server server;

  private UnixSocketServer(SocketLock lock, EventLoopGroup loops, Server server) {
    this.lock = lock;
    this.loops = loops;
    this.server = server;
  }

  /// Returns when it listens. Throws [PluginException] if it cannot.
  public static UnixSocketServer start(
      SocketPath path,
      SocketTransport transport,
      ServerServiceDefinition service,
      Consumer<ProcessEvent> events) {
    SocketLock lock = SocketLock.acquire(path);
    EventLoopGroup loops =
        new MultiThreadIoEventLoopGroup(
            LOOPS, new DefaultThreadFactory("keyfleet-kms", true), transport.handlers());
    Server server =
        NettyServerBuilder.forAddress(
                transport.address(path.path()), InsecureServerCredentials.create())
            .channelFactory(() -> peerCheckingChannel(transport, events))
            .bossEventLoopGroup(loops)
            .workerEventLoopGroup(loops)
            .directExecutor() // nothing blocks on it
            .maxInboundMessageSize(MAX_MESSAGE)
            .maxInboundMetadataSize(MAX_HEADERS)
            .maxConcurrentCallsPerConnection(MAX_CALLS)
            .addService(service)
            .build();
    UnixSocketServer unixSocketServer = new UnixSocketServer(lock, loops, server);
    try {
      server.start();
      lock.restrictSocketMode();
    } catch (IOException | RuntimeException e) {
      unixSocketServer.close();
      throw new PluginException(
          "cannot listen at the socket %s: %s".formatted(path, e.getMessage()),
          "use another path for --listen",
          e);
    }
    events.accept(
        ProcessEvent.info("serving KMS v2 at unix://" + path + " through " + transport.label()));
    return unixSocketServer;
  }

  /// Checks the user of each peer before gRPC gets the connection.
  private static ServerChannel peerCheckingChannel(
      SocketTransport transport, Consumer<ProcessEvent> events) {
    ServerChannel channel = transport.channel();
    long own = SocketLock.ownUid();
    channel
        .pipeline()
        .addFirst(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext context, Object accepted) {
                Channel peer = (Channel) accepted;
                long uid = transport.peerUid(peer);
                if (uid == own || uid == ROOT) {
                  context.fireChannelRead(accepted);
                } else {
                  peer.unsafe().closeForcibly();
                  events.accept(peerRefused(uid));
                }
              }
            });
    return channel;
  }

  private static ProcessEvent peerRefused(long uid) {
    return ProcessEvent.warning(
        "closed a connection of user " + uid + ": only this process's user and root may connect");
  }

  /// Lets the current calls end, then removes the socket.
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
      lock.close();
    }
  }
}
