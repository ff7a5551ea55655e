package keyfleet.mongodb;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/// A TCP proxy to a server that a test can cut: completely, or between a request and its response.
public final class CuttableProxy implements AutoCloseable {
  private static final int BUFFER = 64 << 10;

  private final ServerSocket listener;
  private final String host;
  private final int port;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean dropsNextAnswer = new AtomicBoolean();
  private volatile boolean cut;

  public CuttableProxy(String hostAndPort) {
    try {
      this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    int colon = hostAndPort.lastIndexOf(':');
    this.host = colon < 0 ? hostAndPort : hostAndPort.substring(0, colon);
    this.port = colon < 0 ? 27_017 : Integer.parseInt(hostAndPort.substring(colon + 1));
    Thread.ofVirtual().start(this::accept);
  }

  public String host() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  /// Closes all connections and accepts no new ones.
  public void cut() {
    cut = true;
    open.forEach(CuttableProxy::closeSocket);
  }

  public void restore() {
    cut = false;
  }

  /// Drops the next response of the server and closes its connection.
  public void dropNextAnswer() {
    dropsNextAnswer.set(true);
  }

  @Override
  public void close() {
    cut();
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        connect(listener.accept());
      } catch (IOException e) {
        // The listener was closed, or the server is down: the caller's connection is closed.
      }
    }
  }

  private void connect(Socket client) throws IOException {
    if (cut) {
      closeSocket(client);
      return;
    }
    try {
      Socket server = new Socket(InetAddress.getAllByName(host)[0], port);
      open.add(client);
      open.add(server);
      if (cut) {
        closeSocket(client);
        closeSocket(server);
      }
      Thread.ofVirtual().start(() -> pump(client, server, new AtomicBoolean()));
      Thread.ofVirtual().start(() -> pump(server, client, dropsNextAnswer));
    } catch (IOException e) {
      closeSocket(client);
    }
  }

  private void pump(Socket from, Socket to, AtomicBoolean dropsAnswer) {
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[BUFFER];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (dropsAnswer.getAndSet(false)) {
          break;
        }
        out.write(buffer, 0, read);
      }
    } catch (IOException e) {
      // One side was closed; the finally block closes the other.
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
}
