package keyfleet.cli.config;

import keyfleet.mongodb.MongoEngine;
import keyfleet.nats.NatsEngine;
import keyfleet.postgres.PostgresEngine;
import keyfleet.sqlite.SqliteEngine;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreUrl;

/// Which engine opens which URL.
public final class EngineFactory {
  private static final String DRIVERS_LOG = "slf4j.internal.verbosity";

  private EngineFactory() {}

  /// Else drivers say that nobody hears what they log.
  static void silenceDrivers() {
    if (System.getProperty(DRIVERS_LOG) == null) {
      System.setProperty(DRIVERS_LOG, "ERROR");
    }
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
