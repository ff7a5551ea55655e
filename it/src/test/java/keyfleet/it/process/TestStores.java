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
        case POSTGRES -> PostgresDatabase.made();
        case MONGODB -> new MongoDatabase(MongoTestServers.database());
        case NATS ->
            new NatsAndPostgres(
                NatsTestServer.start(folder.resolve("nats"), NatsTestServer.DURABLE),
                PostgresDatabase.made());
      };
    }

    /// What the stories move: the MongoDB fake is slow.
    public int volume() {
      return this == MONGODB ? 2_000 : 10_000;
    }

    /// Whether the store itself refuses what is sealed under a version that has gone. The MongoDB
    /// fake knows no validators.
    public boolean isFenced() {
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
    private static final AtomicInteger MADE = new AtomicInteger();

    static PostgresDatabase made() {
      String name = "it_" + MADE.incrementAndGet();
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
  record NatsAndPostgres(NatsTestServer server, PostgresDatabase database) implements TestStores {
    @Override
    public String store() {
      return "nats://" + server.address() + "?sync_interval=always";
    }

    @Override
    public String records() {
      return database.store();
    }

    @Override
    public void close() {
      server.close();
      database.close();
    }
  }
}
