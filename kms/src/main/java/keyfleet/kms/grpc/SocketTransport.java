package keyfleet.kms.grpc;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import jdk.net.ExtendedSocketOptions;

/// The transport of the socket: epoll through Netty's native library, or the JDK where that library
/// is not available. Both report the user of the peer.
public enum SocketTransport {
  EPOLL {
    @Override
    IoHandlerFactory handlers() {
      return EpollIoHandler.newFactory();
    }

    @Override
    ServerChannel channel() {
      return new EpollServerDomainSocketChannel();
    }

    @Override
    SocketAddress address(Path path) {
      return new DomainSocketAddress(path.toString());
    }

    @Override
    long peerUid(Channel channel) {
      try {
        int uid = ((EpollDomainSocketChannel) channel).peerCredentials().uid();
        return Integer.toUnsignedLong(uid);
      } catch (IOException e) {
        return NO_UID;
      }
    }
  },
  NIO {
    @Override
    IoHandlerFactory handlers() {
      return NioIoHandler.newFactory();
    }

    @Override
    ServerChannel channel() {
      return new NioServerDomainSocketChannel();
    }

    @Override
    SocketAddress address(Path path) {
      return UnixDomainSocketAddress.of(path);
    }

    @Override
    long peerUid(Channel channel) {
      var option = NioChannelOption.of(ExtendedSocketOptions.SO_PEERCRED);
      var peer = channel.config().getOption(option);
      return peer != null && channel.localAddress() instanceof UnixDomainSocketAddress own
          ? PeerUidResolver.resolve(peer.user(), own.getPath())
          : NO_UID;
    }
  };

  /// A user id that no user has.
  static final long NO_UID = -1;

  /// Kept in a field, because the JDK drops unused loggers together with their levels.
  private static final List<Logger> LOGGERS =
      List.of(Logger.getLogger("io.netty"), Logger.getLogger("io.grpc"));

  abstract IoHandlerFactory handlers();

  abstract ServerChannel channel();

  abstract SocketAddress address(Path path);

  /// The user id of the peer of an accepted channel.
  abstract long peerUid(Channel channel);

  String label() {
    return this == EPOLL ? "epoll" : "the JDK";
  }

  public static SocketTransport detect() {
    quietLoggers();
    return Epoll.isAvailable() ? EPOLL : NIO;
  }

  /// Silences warnings of Netty and gRPC that do not matter here, for example about options that a
  /// unix socket lacks. Call this before the first use of either.
  private static void quietLoggers() {
    InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
    LOGGERS.forEach(it -> it.setLevel(Level.SEVERE));
  }
}
