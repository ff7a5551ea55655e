package keyfleet.bench;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.bench.EnginesBench.Load;
import keyfleet.mongodb.MongoEngine;
import keyfleet.nats.NatsEngine;
import keyfleet.nats.NatsTestServer;
import keyfleet.store.CollectionShape;
import keyfleet.store.engine.StoreUrl;
import org.opentest4j.TestAbortedException;

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
      case "sqlite", "postgresql" -> SqlDatabase.measure(engine, scratch, out, this::compareSql);
      case "mongodb" -> compareMongo(out);
      case "nats" -> compareNats(out);
      default -> throw new IllegalArgumentException("unknown engine " + engine);
    }
  }

  private void compareSql(SqlDatabase database) throws Exception {
    try (EngineUnderTest ours =
            new EngineUnderTest(database.openEngine(), database.openEngine(), OURS.shape());
        RawSql raw = openRaw(database)) {
      raw.fill(SQL.keys());
      comparison.compare(database.name(), SQL, ours, raw);
    }
  }

  private static RawSql openRaw(SqlDatabase database) throws SQLException {
    try (Connection connection = database.connector().connect()) {
      OURS.create(connection, database.blob());
      RAW.create(connection, database.blob());
    }
    return new RawSql(database, RAW.name(), RawChangeSignals.of(database));
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
    Path folder = scratch.subfolder("engines-nats");
    try (NatsTestServer server = NatsTestServer.start(folder, NatsTestServer.DURABLE)) {
      StoreUrl url = server.url("?sync_interval=always");
      try (EngineUnderTest ours =
              new EngineUnderTest(NatsEngine.open(url), NatsEngine.open(url), OURS.shape());
          RawNats raw = new RawNats("nats://" + server.address())) {
        raw.fill(NATS.keys());
        comparison.compare("nats", NATS, ours, raw);
      }
    } catch (TestAbortedException e) {
      out.println("  nats: " + e.getMessage());
    }
  }
}
