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

/// Who carries bytes: the kernel's epoll through Netty's library, or the JDK where that library is
/// not to be had. Both tell who the peer is.
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

  /// No user has this number.
  static final long NO_UID = -1;

  /// Held, as loggers that nobody holds are forgotten with their levels.
  private static final List<Logger> LOGGERS =
      List.of(Logger.getLogger("io.netty"), Logger.getLogger("io.grpc"));

  abstract IoHandlerFactory handlers();

  abstract ServerChannel channel();

  abstract SocketAddress address(Path path);

  /// The user at the other end of an accepted channel.
  abstract long peerUid(Channel channel);

  String label() {
    return this == EPOLL ? "epoll" : "the JDK";
  }

  public static SocketTransport detect() {
    quietLoggers();
    return Epoll.isAvailable() ? EPOLL : NIO;
  }

  /// Netty and gRPC complain of what is no trouble here, such as options that a unix socket lacks.
  /// To be said before either is asked for anything.
  private static void quietLoggers() {
    InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
    LOGGERS.forEach(it -> it.setLevel(Level.SEVERE));
  }
}
