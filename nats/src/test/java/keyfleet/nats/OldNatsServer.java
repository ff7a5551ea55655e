package keyfleet.nats;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/// Claims to be a nats-server of some version, and answers pings.
final class OldNatsServer implements AutoCloseable {
  private final ServerSocket listener;
  private final String version;

  OldNatsServer(String version) {
    this.version = version;
    try {
      this.listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().start(this::serve);
  }

  String address() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  private void serve() {
    try (Socket client = listener.accept()) {
      OutputStream out = client.getOutputStream();
      out.write(
          "INFO {\"server_id\":\"OLD\",\"version\":\"%s\",\"headers\":true,\"jetstream\":true,\"max_payload\":1048576}\r\n"
              .formatted(version)
              .getBytes(UTF_8));
      BufferedReader in = new BufferedReader(new InputStreamReader(client.getInputStream(), UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.startsWith("PING")) {
          out.write("PONG\r\n".getBytes(UTF_8));
        }
      }
    } catch (IOException e) {
      return; // the client is gone
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
