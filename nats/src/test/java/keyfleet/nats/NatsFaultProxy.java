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

/// A wire to a server that can be cut, or on which answers can be lost.
final class NatsFaultProxy implements AutoCloseable {
  private final ServerSocket door;
  private final int port;
  private final Set<Socket> ends = ConcurrentHashMap.newKeySet();
  private volatile boolean hushed;
  private volatile boolean cut;

  NatsFaultProxy(int port) {
    this.port = port;
    try {
      this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().start(this::serve);
  }

  String address() {
    return "127.0.0.1:" + door.getLocalPort();
  }

  /// From here on nothing comes back from the server.
  void hush() {
    hushed = true;
  }

  /// Breaks every connection, and each new one.
  void cut() {
    cut = true;
    ends.forEach(NatsFaultProxy::end);
  }

  void mend() {
    cut = false;
    hushed = false;
  }

  private void serve() {
    try {
      while (true) {
        connect(door.accept());
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
    ends.add(client);
    ends.add(server);
    Thread.ofVirtual().start(() -> carry(client, server));
    Thread.ofVirtual().start(() -> carry(server, client));
  }

  private void carry(Socket from, Socket to) {
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[64 << 10];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (!hushed || from.getPort() != port) {
          out.write(buffer, 0, read);
        }
      }
    } catch (IOException e) {
      return; // the other end says the same to its side below
    } finally {
      end(from);
      end(to);
    }
  }

  private static void end(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      door.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cut();
  }
}
