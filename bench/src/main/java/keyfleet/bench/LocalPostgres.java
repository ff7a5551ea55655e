package keyfleet.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// A PostgreSQL server on loopback, with its data in a folder of ours and its settings as Debian
/// ships them: a commit waits for the disk.
final class LocalPostgres implements AutoCloseable {
  private static final Path VERSIONS = Path.of("/usr/lib/postgresql");
  private static final String ADMIN = "keeper";
  private static final int STEP_MILLIS = 50;
  private static final int STEPS = 600;

  private final Process process;
  private final int port;

  private LocalPostgres(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  static boolean canStart() {
    return Files.isDirectory(VERSIONS);
  }

  static LocalPostgres start(Path folder, int port) throws IOException, InterruptedException {
    Path bin = binaries();
    Path data = folder.resolve("data");
    if (isRoot()) {
      runToEnd(List.of("chown", "postgres", folder.toString()));
    }
    runToEnd(
        asServer(
            List.of(
                bin.resolve("initdb").toString(),
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
                "--username=" + ADMIN,
                "--pgdata=" + data)));
    Process process =
        new ProcessBuilder(
                asServer(
                    List.of(
                        bin.resolve("postgres").toString(),
                        "-D",
                        data.toString(),
                        "-p",
                        String.valueOf(port),
                        "-k",
                        folder.toString(),
                        "-c",
                        "listen_addresses=127.0.0.1")))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    LocalPostgres server = new LocalPostgres(process, port);
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    server.awaitReady();
    return server;
  }

  /// The URL of the database that every server has.
  String url() {
    return "postgresql://%s@127.0.0.1:%d/postgres".formatted(ADMIN, port);
  }

  Connection connect() throws SQLException {
    return connect("");
  }

  Connection connect(String parameters) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:%d/postgres?%s".formatted(port, parameters), ADMIN, "");
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STEPS * STEP_MILLIS, TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  private void awaitReady() throws InterruptedException {
    for (int i = 0; i < STEPS && process.isAlive(); i++) {
      try (Connection connection = connect("connectTimeout=2")) {
        if (connection.isValid(1)) {
          return;
        }
      } catch (SQLException e) {
        boolean _ = process.waitFor(STEP_MILLIS, TimeUnit.MILLISECONDS); // not yet
      }
    }
    throw new IllegalStateException("PostgreSQL did not accept a connection in time");
  }

  private static Path binaries() throws IOException {
    try (Stream<Path> versions = Files.list(VERSIONS)) {
      return versions
          .max(Comparator.comparingInt(it -> Integer.parseInt(it.getFileName().toString())))
          .map(it -> it.resolve("bin"))
          .orElseThrow(() -> new IllegalStateException("no server in " + VERSIONS));
    }
  }

  /// PostgreSQL refuses to run as root.
  private static List<String> asServer(List<String> command) {
    List<String> whole = new ArrayList<>();
    if (isRoot()) {
      whole.addAll(
          List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"));
    }
    whole.addAll(command);
    return whole;
  }

  private static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }

  private static void runToEnd(List<String> command) throws IOException, InterruptedException {
    Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(child.getInputStream().readAllBytes(), UTF_8);
    if (child.waitFor() != 0) {
      throw new IllegalStateException(command + " failed: " + output);
    }
  }
}
