package keyfleet.cli.config;

import java.sql.SQLException;
import keyfleet.mongodb.MongoEngine;
import keyfleet.nats.NatsEngine;
import keyfleet.postgres.PostgresEngine;
import keyfleet.sqlite.SqliteEngine;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreUrl;

/// Opens the engine that a store URL names.
public final class EngineFactory {
  private static final String SLF4J_VERBOSITY = "slf4j.internal.verbosity";

  private EngineFactory() {}

  /// Without this, drivers warn on standard error that no logger is configured.
  static void silenceDrivers() {
    if (System.getProperty(SLF4J_VERBOSITY) == null) {
      System.setProperty(SLF4J_VERBOSITY, "ERROR");
    }
  }

  /// Loads the driver of the embedded store, which is the default.
  public static void warmUp() throws SQLException {
    silenceDrivers();
    SqliteEngine.warmUp();
  }

  public static Engine open(StoreUrl url) {
    silenceDrivers();
    return switch (url.scheme()) {
      case "sqlite" -> SqliteEngine.open(url);
      case "postgresql" -> PostgresEngine.open(url);
      case "mongodb" -> MongoEngine.open(url);
      case "nats" -> NatsEngine.open(url);
      default -> throw new IllegalStateException("no engine opens " + url);
    };
  }
}
