package keyfleet.store;

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

/// A TCP proxy to a server. A test can cut its connections, or make the server's replies disappear.
public final class FaultProxy implements AutoCloseable {
  private static final int BUFFER = 64 << 10;

  private final ServerSocket listener;
  private final String host;
  private final int port;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean cutsAtNextReply = new AtomicBoolean();
  private volatile boolean dropsReplies;
  private volatile boolean cut;

  public FaultProxy(String host, int port) {
    this.host = host;
    this.port = port;
    try {
      this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().start(this::serve);
  }

  public String address() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  /// Closes every connection, and each new one at once.
  public void cut() {
    cut = true;
    sockets.forEach(FaultProxy::closeSocket);
  }

  /// Closes the connection of the next reply, which is lost.
  public void cutAtNextReply() {
    cutsAtNextReply.set(true);
  }

  /// From now on no reply reaches the client; connections stay open.
  public void dropReplies() {
    dropsReplies = true;
  }

  public void restore() {
    cut = false;
    dropsReplies = false;
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

  private void serve() {
    while (!listener.isClosed()) {
      try {
        connect(listener.accept());
      } catch (IOException e) {
        // The proxy was closed, or the server is down: the client's connection is closed.
      }
    }
  }

  private void connect(Socket client) throws IOException {
    sockets.add(client);
    try {
      if (!cut) {
        Socket server = new Socket(InetAddress.getAllByName(host)[0], port);
        sockets.add(server);
        Thread.ofVirtual().start(() -> forward(client, server, false));
        Thread.ofVirtual().start(() -> forward(server, client, true));
      }
    } catch (IOException e) {
      closeSocket(client);
    }
    if (cut) {
      cut();
    }
  }

  private void forward(Socket from, Socket to, boolean isReply) {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[BUFFER];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (isReply && cutsAtNextReply.getAndSet(false)) {
          return;
        }
        if (!isReply || !dropsReplies) {
          out.write(buffer, 0, read);
        }
      }
    } catch (IOException e) {
      // One side was closed; this closes the other.
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
