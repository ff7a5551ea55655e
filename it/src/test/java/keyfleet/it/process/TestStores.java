package keyfleet.it.process;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import keyfleet.mongodb.MongoTestServers;
import keyfleet.nats.NatsTestServer;
import keyfleet.postgres.PostgresTestServer;

/// The stores of one test: the coordination store of its fleet, and the store of its records.
public interface TestStores extends AutoCloseable {
  /// The engines under test.
  enum Kind {
    SQLITE,
    POSTGRES,
    MONGODB,
    NATS;

    /// Opens a new store for the test. A database is deleted when its store is closed.
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

    /// Opens a store for coordination and another one for records. Only SQLite and PostgreSQL.
    public TestStores openSeparate(Path folder) {
      return switch (this) {
        case SQLITE ->
            new SeparateStores(open(folder), new SingleStore("sqlite:" + folder.resolve("app.db")));
        case POSTGRES -> new SeparateStores(PostgresDatabase.create(), PostgresDatabase.create());
        case MONGODB, NATS ->
            throw new IllegalArgumentException(this + " is not prepared for this");
      };
    }

    /// The number of records that a story rotates; the MongoDB fake is slow.
    public int recordCount() {
      return this == MONGODB ? 2_000 : 10_000;
    }

    /// Whether the store itself refuses values under an old version. The MongoDB fake has no
    /// validators.
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

  /// A store that the test itself opens and closes.
  record SingleStore(String store) implements TestStores {
    @Override
    public void close() {}
  }

  /// Two stores of one engine.
  record SeparateStores(TestStores coordination, TestStores separateRecords) implements TestStores {
    @Override
    public String store() {
      return coordination.store();
    }

    @Override
    public String records() {
      return separateRecords.store();
    }

    @Override
    public void close() {
      coordination.close();
      separateRecords.close();
    }
  }

  /// A database on the PostgreSQL server that all tests share.
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

  /// NATS for coordination; it stores no records, so they are in PostgreSQL.
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
