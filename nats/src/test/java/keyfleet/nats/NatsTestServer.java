package keyfleet.nats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import keyfleet.store.engine.StoreUrl;

/// A real nats-server on the loopback interface, with its data in a folder of the test. It ends
/// when it is closed, or with this JVM.
public final class NatsTestServer implements AutoCloseable {
  public static final String DURABLE = "jetstream { store_dir: \"%s\", sync_interval: always }";
  static final String UNSYNCED = "jetstream { store_dir: \"%s\" }";

  private static final String READY = "Server is ready";
  private static final int START_SECONDS = 30;
  private static final String BINARY = System.getenv("KEYFLEET_TEST_NATS");

  private final Path config;
  private final int port;
  private final int monitor;
  private Process process;

  private NatsTestServer(Path config, int port, int monitor) {
    this.config = config;
    this.port = port;
    this.monitor = monitor;
    this.process = startProcess();
    Runtime.getRuntime().addShutdownHook(new Thread(this::kill));
  }

  /// A server with these lines in its configuration; `%s` stands for its data folder.
  public static NatsTestServer start(Path folder, String... lines) {
    return launch(folder, freePort(), freePort(), lines).awaitReady();
  }

  /// Does not wait until the server is ready: the servers of a cluster wait for each other.
  static NatsTestServer launch(Path folder, int port, int monitor, String... lines) {
    assumeTrue(BINARY != null, "KEYFLEET_TEST_NATS names no nats-server: it needs Go to be built");
    List<String> all = new ArrayList<>();
    all.add("listen: 127.0.0.1:" + port);
    all.add("http: 127.0.0.1:" + monitor);
    for (String line : lines) {
      all.add(line.formatted(folder.resolve("data")));
    }
    try {
      Files.createDirectories(folder);
      return new NatsTestServer(Files.write(folder.resolve("nats.conf"), all), port, monitor);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String address() {
    return "127.0.0.1:" + port;
  }

  String monitor() {
    return "http://127.0.0.1:" + monitor;
  }

  int port() {
    return port;
  }

  public StoreUrl url(String rest) {
    return StoreUrl.parse("nats://" + address() + rest);
  }

  /// Like a power failure, except that data in the kernel's cache survives.
  public void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  public void restart() {
    process = startProcess();
    awaitReady();
  }

  /// Reads the server's log until it reports that it is ready. Polling the port could reach another
  /// process.
  NatsTestServer awaitReady() {
    CompletableFuture<Boolean> ready = new CompletableFuture<>();
    BufferedReader log = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    Queue<String> lines = new ConcurrentLinkedQueue<>();
    Thread.ofVirtual().start(() -> readLog(log, lines, ready));
    try {
      assertTrue(ready.get(START_SECONDS, TimeUnit.SECONDS), () -> "nats-server ended: " + lines);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new IllegalStateException("nats-server did not get ready", e);
    }
    return this;
  }

  private static void readLog(
      BufferedReader log, Queue<String> lines, CompletableFuture<Boolean> ready) {
    try {
      for (String line = log.readLine(); line != null; line = log.readLine()) {
        if (!ready.isDone()) {
          lines.add(line);
        }
        if (line.contains(READY)) {
          ready.complete(true);
        }
      }
    } catch (IOException e) {
      lines.add("killed: " + e.getMessage());
    }
    ready.complete(false);
  }

  private Process startProcess() {
    try {
      return new ProcessBuilder(BINARY, "-c", config.toString()).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    kill();
  }
}
