package keyfleet.it;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import keyfleet.mongodb.MongoTestServers;
import keyfleet.nats.NatsTestServer;
import keyfleet.postgres.PostgresTestServer;

/// The stores of one test: where its fleet is coordinated, and where its records are.
interface Site extends AutoCloseable {
  /// The engines, each with what it needs to be tried.
  enum Kind {
    SQLITE,
    POSTGRES,
    MONGODB,
    NATS;

    /// A store that nobody else uses, gone when it is closed.
    Site open(Path folder) {
      return switch (this) {
        case SQLITE -> new Plain("sqlite:" + folder.resolve("fleet.db"));
        case POSTGRES -> Database.made();
        case MONGODB -> new Documents(MongoTestServers.database());
        case NATS ->
            new Messages(
                NatsTestServer.start(folder.resolve("nats"), NatsTestServer.DURABLE),
                Database.made());
      };
    }

    /// What the stories move: the MongoDB fake is slow.
    int volume() {
      return this == MONGODB ? 2_000 : 10_000;
    }

    /// Whether the store itself refuses what is sealed under a version that has gone. The MongoDB
    /// fake knows no validators.
    boolean isFenced() {
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
  record Plain(String store) implements Site {
    @Override
    public void close() {}
  }

  /// A database on the server that all tests share.
  record Database(String store, String name) implements Site {
    private static final AtomicInteger MADE = new AtomicInteger();

    static Database made() {
      String name = "it_" + MADE.incrementAndGet();
      PostgresTestServer.shared().execute("postgres", "CREATE DATABASE " + name);
      return new Database(PostgresTestServer.shared().url(name, ""), name);
    }

    @Override
    public void close() {
      PostgresTestServer.shared().execute("postgres", "DROP DATABASE " + name + " WITH (FORCE)");
    }
  }

  record Documents(MongoTestServers.TestDatabase database) implements Site {
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
  record Messages(NatsTestServer server, Database database) implements Site {
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
