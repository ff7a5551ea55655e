package keyfleet.it.process;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import keyfleet.mongodb.MongoTestServers;
import keyfleet.nats.NatsTestServer;
import keyfleet.postgres.PostgresTestServer;

/// The stores of one test: where its fleet is coordinated, and where its records are.
public interface TestStores extends AutoCloseable {
  /// The engines, each with what it needs to be tried.
  enum Kind {
    SQLITE,
    POSTGRES,
    MONGODB,
    NATS;

    /// A store that nobody else uses, gone when it is closed.
    public TestStores open(Path folder) {
      return switch (this) {
        case SQLITE -> new SingleStore("sqlite:" + folder.resolve("fleet.db"));
        case POSTGRES -> PostgresDatabase.create();
        case MONGODB -> new MongoDatabase(MongoTestServers.database());
        case NATS ->
            new NatsAndPostgres(
                NatsTestServer.start(folder.resolve("nats"), NatsTestServer.DURABLE),
                PostgresDatabase.create());
      };
    }

    /// What the stories move: the MongoDB fake is slow.
    public int recordCount() {
      return this == MONGODB ? 2_000 : 10_000;
    }

    /// Whether the store itself refuses what is sealed under a version that has gone. The MongoDB
    /// fake knows no validators.
    public boolean hasFences() {
      return this != MONGODB;
    }
  }

  String store();

  default String records() {
    return store();
  }

  @Override
  void close();

  /// Somebody else opens and closes it.
  record SingleStore(String store) implements TestStores {
    @Override
    public void close() {}
  }

  /// A database on the server that all tests share.
  record PostgresDatabase(String store, String name) implements TestStores {
    private static final AtomicInteger COUNT = new AtomicInteger();

    static PostgresDatabase create() {
      String name = "it_" + COUNT.incrementAndGet();
      PostgresTestServer.shared().execute("postgres", "CREATE DATABASE " + name);
      return new PostgresDatabase(PostgresTestServer.shared().url(name, ""), name);
    }

    @Override
    public void close() {
      PostgresTestServer.shared().execute("postgres", "DROP DATABASE " + name + " WITH (FORCE)");
    }
  }

  record MongoDatabase(MongoTestServers.TestDatabase database) implements TestStores {
    @Override
    public String store() {
      return database.url().toString();
    }

    @Override
    public void close() {
      database.close();
    }
  }

  /// NATS keeps no records.
  record NatsAndPostgres(NatsTestServer server, PostgresDatabase postgresDatabase)
      implements TestStores {
    @Override
    public String store() {
      return "nats://" + server.address() + "?sync_interval=always";
    }

    @Override
    public String records() {
      return postgresDatabase.store();
    }

    @Override
    public void close() {
      server.close();
      postgresDatabase.close();
    }
  }
}
