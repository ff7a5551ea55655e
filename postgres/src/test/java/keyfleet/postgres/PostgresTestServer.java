package keyfleet.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/// A PostgreSQL server for tests, on a free port of this host, with a temporary data folder.
public final class PostgresTestServer implements AutoCloseable {
  static final String ADMIN = "admin";

  private static final int STEP_MILLIS = 50;
  private static final int STEPS = 600;

  private final Path bin;
  private final Path folder;
  private final int port;
  private Process process;

  private PostgresTestServer(Path bin, Path folder, int port) {
    this.bin = bin;
    this.folder = folder;
    this.port = port;
    this.process = launch();
    Runtime.getRuntime().addShutdownHook(new Thread(this::close));
  }

  /// One server for all tests that do not restart it; it ends with the JVM.
  public static PostgresTestServer shared() {
    return Shared.SERVER;
  }

  private static final class Shared {
    /// Without `fsync` is safe here: no test cuts the power, and the system keeps what a killed
    /// server has written.
    private static final PostgresTestServer SERVER = startNew("fsync = off");
  }

  public static PostgresTestServer startNew(String... options) {
    Path bin = findBinaries();
    try {
      Path folder = Files.createTempDirectory("keyfleet-postgres");
      if (isRoot()) {
        runCommand(List.of("chown", "postgres", folder.toString()));
      }
      runCommand(
          asServerUser(
              bin.resolve("initdb").toString(),
              "-A",
              "trust",
              "-N",
              "-E",
              "UTF8",
              "-U",
              ADMIN,
              "--locale=C.UTF-8",
              "-D",
              data(folder).toString()));
      Files.write(data(folder).resolve("postgresql.auto.conf"), List.of(options));
      return new PostgresTestServer(bin, folder, freePort());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int port() {
    return port;
  }

  Path data() {
    return data(folder);
  }

  /// The path of a program of this server's version, such as `pg_dump`.
  public String tool(String name) {
    return bin.resolve(name).toString();
  }

  /// A URL of that database with the administrator's role, which needs no password on this host.
  public String url(String database, String query) {
    return "postgresql://%s@127.0.0.1:%d/%s?%s".formatted(ADMIN, port, database, query);
  }

  public Connection connect(String database) {
    return connect(database, ADMIN);
  }

  Connection connect(String database, String user) {
    try {
      return DriverManager.getConnection(
          "jdbc:postgresql://127.0.0.1:%d/%s".formatted(port, database), user, "");
    } catch (SQLException e) {
      throw new IllegalStateException("cannot connect to " + database + " as " + user, e);
    }
  }

  /// Runs statements in `database`, each in its own transaction. Returns the first column of the
  /// first row of the last one.
  public String execute(String database, String... statements) {
    try (Connection connection = connect(database);
        Statement statement = connection.createStatement()) {
      String answer = "";
      for (String each : statements) {
        if (statement.execute(each)) {
          ResultSet rows = statement.getResultSet();
          answer = rows.next() ? String.valueOf(rows.getString(1)) : "";
        }
      }
      return answer;
    } catch (SQLException e) {
      throw new IllegalStateException("failed in " + database + ": " + e.getMessage(), e);
    }
  }

  /// Like a crash: at once, without a shutdown checkpoint.
  public void kill() {
    process.destroyForcibly();
    await(process);
  }

  public void start() {
    process = launch();
  }

  @Override
  public void close() {
    kill();
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException | UncheckedIOException e) {
      // An ending server process may still remove files itself.
    }
  }

  /// Retries while processes of a killed server still hold its shared memory.
  private Process launch() {
    for (int i = 0; i < STEPS; i++) {
      Process child = spawn();
      while (child.isAlive() && !isAnswering()) {
        awaitBriefly(child);
      }
      if (child.isAlive()) {
        return child;
      }
    }
    throw new IllegalStateException("PostgreSQL does not start in " + folder);
  }

  private Process spawn() {
    List<String> command =
        asServerUser(
            bin.resolve("postgres").toString(),
            "-D",
            data().toString(),
            "-p",
            "" + port,
            "-k",
            folder.toString(),
            "-c",
            "listen_addresses=127.0.0.1");
    try {
      return new ProcessBuilder(command)
          .directory(folder.toFile())
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean isAnswering() {
    try (Connection connection =
        DriverManager.getConnection(
            "jdbc:postgresql://127.0.0.1:%d/postgres?connectTimeout=2".formatted(port),
            ADMIN,
            "")) {
      return connection.isValid(1);
    } catch (SQLException e) {
      // A server that asks for a password is up.
      return "28P01".equals(e.getSQLState()) || "08004".equals(e.getSQLState());
    }
  }

  private static boolean awaitBriefly(Process process) {
    try {
      return process.waitFor(STEP_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a server starts", e);
    }
  }

  private static void await(Process process) {
    while (!awaitBriefly(process)) {
      process.destroyForcibly();
    }
  }

  private static Path findBinaries() {
    try (Stream<Path> versions = Files.list(Path.of("/usr/lib/postgresql"))) {
      List<Path> found =
          versions
              .map(it -> it.resolve("bin"))
              .filter(it -> Files.isExecutable(it.resolve("postgres")))
              .sorted(Comparator.comparingInt(it -> Integer.parseInt(it.getName(3).toString())))
              .toList();
      Assumptions.assumeFalse(found.isEmpty(), "no PostgreSQL server: apt install postgresql");
      return found.getLast();
    } catch (IOException e) {
      return Assumptions.abort("no PostgreSQL server: apt install postgresql");
    }
  }

  /// The server refuses to run as root.
  private static List<String> asServerUser(String... command) {
    List<String> full = new ArrayList<>();
    if (isRoot()) {
      full.addAll(
          List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"));
    }
    full.addAll(List.of(command));
    return full;
  }

  private static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }

  static void runCommand(List<String> command) {
    try {
      Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output =
          new String(
              child.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
      await(child);
      if (child.exitValue() != 0) {
        throw new IllegalStateException(command + " failed: " + output);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static Path data(Path folder) {
    return folder.resolve("data");
  }
}
