package keyfleet.sqlite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import keyfleet.store.CollectionShape;
import keyfleet.store.engine.StoreUrl;
import keyfleet.store.host.BootClock;

/// A store in a temporary folder, with a clock that tests can advance, and connections for an
/// application that uses plain SQL.
final class SqliteTestFolder implements AutoCloseable {
  static final CollectionShape CUSTOMERS =
      new CollectionShape("customers", "id", new TreeSet<>(Set.of("f0", "f1", "f2")));
  static final String CREATE_CUSTOMERS =
      "CREATE TABLE customers (id TEXT PRIMARY KEY, f0 BLOB, f1 BLOB, f2 BLOB, address TEXT)";

  private final Path folder;
  private final AtomicLong advanced = new AtomicLong();
  private final BootClock real = BootClock.system();

  SqliteTestFolder() {
    try {
      folder = Files.createTempDirectory("keyfleet-sqlite");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path path() {
    return folder;
  }

  Path file() {
    return folder.resolve("keyfleet.db");
  }

  StoreUrl url() {
    return StoreUrl.parse("sqlite:" + file());
  }

  SqliteEngine openEngine() {
    return SqliteEngine.open(url(), clock(real.bootId()));
  }

  /// The machine's clock, with that boot id.
  BootClock clock(String boot) {
    return BootClock.of(() -> real.getAsLong() + advanced.get(), boot);
  }

  void advance(Duration duration) {
    advanced.addAndGet(duration.toNanos());
  }

  /// Runs SQL on `keyfleet.db` as an application would.
  void sql(String... statements) {
    try (Connection application = connect()) {
      for (String statement : statements) {
        execute(application, statement);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(List.of(statements).toString(), e);
    }
  }

  /// The application's own connection; its writes need not survive a power failure.
  Connection connect() throws SQLException {
    Connection application = DriverManager.getConnection("jdbc:sqlite:" + file());
    execute(application, "PRAGMA synchronous=OFF");
    return application;
  }

  static void execute(Connection application, String statement) throws SQLException {
    try (var run = application.createStatement()) {
      run.execute(statement);
    }
  }

  static String queryPlan(Connection application, String query) throws SQLException {
    try (var run = application.createStatement();
        var answer = run.executeQuery("EXPLAIN QUERY PLAN " + query)) {
      return answer.next() ? answer.getString("detail") : "nothing";
    }
  }

  static String query(Connection application, String query) throws SQLException {
    try (var run = application.createStatement();
        var answer = run.executeQuery(query)) {
      return answer.next() ? String.valueOf(answer.getString(1)) : "nothing";
    }
  }

  @Override
  public void close() {
    try (Stream<Path> all = Files.walk(folder)) {
      all.sorted(Comparator.reverseOrder()).forEach(SqliteTestFolder::delete);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path path) {
    try {
      Files.delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
