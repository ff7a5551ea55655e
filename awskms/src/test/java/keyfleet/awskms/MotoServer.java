package keyfleet.awskms;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// moto, which answers like AWS KMS, on loopback. It ends when it is closed, or with this JVM.
final class MotoServer implements AutoCloseable {
  private static final String PYTHON = System.getenv("KEYFLEET_TEST_MOTO");
  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(120);

  private final int port = freePort();
  private final Process process;

  private MotoServer(Path folder) {
    try {
      this.process =
          new ProcessBuilder(
                  PYTHON, "-m", "moto.server", "-H", "127.0.0.1", "-p", Integer.toString(port))
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("moto.log").toFile())
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
  }

  static MotoServer start(Path folder) {
    assumeTrue(
        PYTHON != null, "KEYFLEET_TEST_MOTO names no Python with moto: ./dev test makes one");
    MotoServer server = new MotoServer(folder);
    long deadline = System.nanoTime() + START_NANOS;
    while (!server.isAnswering()) {
      assertTrue(server.process.isAlive(), "moto ended: see moto.log");
      assertTrue(System.nanoTime() < deadline, "moto did not answer in time");
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
    return server;
  }

  int port() {
    return port;
  }

  private boolean isAnswering() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
