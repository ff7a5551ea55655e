package keyfleet.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// A nats-server on loopback that syncs each write, with its data in a folder of ours.
final class LocalNats implements AutoCloseable {
  private static final String READY = "Server is ready";
  private static final int STOP_SECONDS = 10;

  private final Process process;
  private final int port;

  private LocalNats(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  static Optional<String> binary() {
    return Optional.ofNullable(System.getenv("KEYFLEET_TEST_NATS"));
  }

  static LocalNats start(String binary, Path folder, int port) throws IOException {
    Path config =
        Files.write(
            folder.resolve("nats.conf"),
            List.of(
                "listen: 127.0.0.1:" + port,
                "jetstream { store_dir: \"%s\", sync_interval: always }"
                    .formatted(folder.resolve("data"))));
    Process process =
        new ProcessBuilder(binary, "-c", config.toString()).redirectErrorStream(true).start();
    LocalNats server = new LocalNats(process, port);
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    server.awaitReady();
    return server;
  }

  String url() {
    return "nats://127.0.0.1:" + port;
  }

  /// Reads the log to its end in the background: with a full pipe the server would block.
  private void awaitReady() throws IOException {
    BufferedReader log = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    for (String line = log.readLine(); line != null; line = log.readLine()) {
      if (line.contains(READY)) {
        Thread.ofVirtual().start(() -> drain(log));
        return;
      }
    }
    throw new IllegalStateException("nats-server did not report that it is ready");
  }

  private static void drain(BufferedReader log) {
    try {
      String line = log.readLine();
      while (line != null) {
        line = log.readLine();
      }
    } catch (IOException e) {
      return; // the server has ended
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
