package keyfleet.bench;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.bench.EnginesBench.Load;
import keyfleet.mongodb.MongoEngine;
import keyfleet.nats.NatsEngine;
import keyfleet.postgres.PostgresEngine;
import keyfleet.sqlite.SqliteEngine;
import keyfleet.store.CollectionShape;
import keyfleet.store.engine.StoreUrl;

/// Starts each engine that is available on this machine, beside its driver.
final class EngineLauncher {
  /// Measures the engine and its driver.
  interface Comparison {
    void compare(String engine, Load load, StoreUnderTest ours, StoreUnderTest raw)
        throws Exception;
  }

  private static final SealedTable OURS = new SealedTable("ours_records");
  private static final SealedTable RAW = new SealedTable("raw_records");
  private static final Load SQL = new Load(300, 100_000, 10_000, 60, Duration.ofMillis(250));
  private static final Load MONGO = new Load(300, 10_000, 1_000, 40, Duration.ofMillis(400));
  private static final Load NATS = new Load(300, 100_000, 0, 60, Duration.ofMillis(250));

  private final ScratchFolder scratch;
  private final Comparison comparison;

  EngineLauncher(ScratchFolder scratch, Comparison comparison) {
    this.scratch = scratch;
    this.comparison = comparison;
  }

  void launch(String engine, PrintStream out) throws Exception {
    switch (engine) {
      case "sqlite" -> compareSqlite();
      case "postgresql" -> comparePostgres(out);
      case "mongodb" -> compareMongo(out);
      case "nats" -> compareNats(out);
      default -> throw new IllegalArgumentException("unknown engine " + engine);
    }
  }

  private void compareSqlite() throws Exception {
    Path file = scratch.subfolder("engines").resolve("keyfleet.db");
    StoreUrl url = StoreUrl.parse("sqlite:" + file);
    try (EngineUnderTest ours =
            new EngineUnderTest(SqliteEngine.open(url), SqliteEngine.open(url), emptyTables(file));
        Connection other = openSqlite(file);
        Connection connection = openSqlite(file);
        RawSql raw =
            new RawSql(
                connection,
                new RawSql.Dialect("keyfleet_entries", RAW.name(), "BEGIN IMMEDIATE"),
                RawChangeSignals.forSqlite(other))) {
      fill(connection, "keyfleet_entries", SQL.keys());
      comparison.compare("sqlite", SQL, ours, raw);
    }
  }

  private static CollectionShape emptyTables(Path file) throws SQLException {
    try (Connection connection = openSqlite(file)) {
      createTables(connection, "BLOB");
    }
    return OURS.shape();
  }

  /// Opens a connection with the durability of the engine.
  private static Connection openSqlite(Path file) throws SQLException {
    Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA busy_timeout=5000");
      statement.execute("PRAGMA synchronous=EXTRA");
      statement.execute("PRAGMA fullfsync=ON");
    }
    return connection;
  }

  private void comparePostgres(PrintStream out) throws Exception {
    if (!LocalPostgres.canStart()) {
      out.println("  postgresql: no server installed. Try: apt install postgresql");
      return;
    }
    try (LocalPostgres server =
        LocalPostgres.start(scratch.subfolder("engines-postgres"), ScratchFolder.freePort())) {
      StoreUrl url = StoreUrl.parse(server.url());
      try (Connection connection = server.connect()) {
        createTables(connection, "bytea");
        try (EngineUnderTest ours =
                new EngineUnderTest(
                    PostgresEngine.open(url), PostgresEngine.open(url), OURS.shape());
            RawSql raw =
                new RawSql(
                    connection,
                    new RawSql.Dialect("keyfleet.kv", RAW.name(), "BEGIN"),
                    RawChangeSignals.forPostgres(server.connect()))) {
          fill(connection, "keyfleet.kv", SQL.keys());
          comparison.compare("postgresql", SQL, ours, raw);
        }
      }
    }
  }

  private static void createTables(Connection connection, String blob) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (SealedTable table : new SealedTable[] {OURS, RAW}) {
        statement.execute(
            "CREATE TABLE %s (%s text NOT NULL PRIMARY KEY, %s %s)"
                .formatted(table.name(), SealedTable.ID, SealedTable.FIELD, blob));
      }
    }
  }

  private static void fill(Connection connection, String entries, int keys) throws SQLException {
    connection.setAutoCommit(false);
    byte[] value = new byte[StoreUnderTest.VALUE_BYTES];
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO %s (bucket, key, value, revision, written_at) VALUES (?, ?, ?, 1, 1)"
                .formatted(entries))) {
      for (int i = 0; i < keys; i++) {
        insert.setString(1, StoreUnderTest.BUCKET);
        insert.setString(2, StoreUnderTest.BRANCH + "." + SealedTable.id(i));
        insert.setBytes(3, value);
        insert.addBatch();
      }
      insert.executeBatch();
    }
    connection.commit();
    connection.setAutoCommit(true);
  }

  /// Uses the server that `KEYFLEET_TEST_MONGODB` names. Without one it uses the fake, which runs
  /// in this process and scans every document: that measures what the engine adds, not MongoDB.
  private void compareMongo(PrintStream out) throws Exception {
    Optional<String> real = Optional.ofNullable(System.getenv("KEYFLEET_TEST_MONGODB"));
    if (real.isPresent()) {
      compareMongo("mongodb", real.get().replaceFirst("/*$", ""));
    } else {
      out.println(
          "  mongodb: mongo-java-server in this process; KEYFLEET_TEST_MONGODB names a real"
              + " server");
      MongoServer fake = new MongoServer(new MemoryBackend());
      try {
        fake.bind("127.0.0.1", 0);
        compareMongo("mongodb fake", "mongodb://127.0.0.1:" + fake.getLocalAddress().getPort());
      } finally {
        fake.shutdownNow();
      }
    }
  }

  private void compareMongo(String name, String server) throws Exception {
    String database = "keyfleet_bench";
    StoreUrl url = StoreUrl.parse(server + "/" + database);
    CollectionShape shape =
        new CollectionShape(OURS.name(), "_id", new TreeSet<>(Set.of(SealedTable.FIELD)));
    try (EngineUnderTest ours =
            new EngineUnderTest(MongoEngine.open(url), MongoEngine.open(url), shape);
        RawMongo raw = new RawMongo(server, database, RAW.name())) {
      raw.createCollection(OURS.name());
      raw.fill(MONGO.keys());
      comparison.compare(name, MONGO, ours, raw);
    } finally {
      try (MongoClient client = MongoClients.create(server)) {
        client.getDatabase(database).drop();
      }
    }
  }

  private void compareNats(PrintStream out) throws Exception {
    Optional<String> binary = LocalNats.binary();
    if (binary.isEmpty()) {
      out.println("  nats: no server available. Try: install Go, then ./dev bench engines");
      return;
    }
    try (LocalNats server =
        LocalNats.start(
            binary.get(), scratch.subfolder("engines-nats"), ScratchFolder.freePort())) {
      StoreUrl url = StoreUrl.parse(server.url() + "?sync_interval=always");
      try (EngineUnderTest ours =
              new EngineUnderTest(NatsEngine.open(url), NatsEngine.open(url), OURS.shape());
          RawNats raw = new RawNats(server.url())) {
        raw.fill(NATS.keys());
        comparison.compare("nats", NATS, ours, raw);
      }
    }
  }
}
