package keyfleet.nats;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A proxy in front of a server that can cut connections or drop the server's replies.
final class NatsFaultProxy implements AutoCloseable {
  private final ServerSocket listener;
  private final int port;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile boolean dropsReplies;
  private volatile boolean cut;

  NatsFaultProxy(int port) {
    this.port = port;
    try {
      this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().start(this::serve);
  }

  String address() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  /// From now on no reply reaches the client.
  void dropReplies() {
    dropsReplies = true;
  }

  /// Closes every connection, and each new one at once.
  void cut() {
    cut = true;
    sockets.forEach(NatsFaultProxy::closeSocket);
  }

  void restore() {
    cut = false;
    dropsReplies = false;
  }

  private void serve() {
    try {
      while (true) {
        connect(listener.accept());
      }
    } catch (IOException e) {
      return; // closed
    }
  }

  private void connect(Socket client) throws IOException {
    if (cut) {
      client.close();
      return;
    }
    Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
    sockets.add(client);
    sockets.add(server);
    Thread.ofVirtual().start(() -> forward(client, server));
    Thread.ofVirtual().start(() -> forward(server, client));
  }

  private void forward(Socket from, Socket to) {
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[64 << 10];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (!dropsReplies || from.getPort() != port) {
          out.write(buffer, 0, read);
        }
      }
    } catch (IOException e) {
      return; // the other socket is closed below
    } finally {
      closeSocket(from);
      closeSocket(to);
    }
  }

  private static void closeSocket(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cut();
  }
}
