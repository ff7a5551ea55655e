package keyfleet.mongodb;

import com.mongodb.MongoClientSettings;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import com.mongodb.event.ConnectionPoolClearedEvent;
import com.mongodb.event.ConnectionPoolListener;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import keyfleet.store.CollectionShape;
import keyfleet.store.Kv;
import keyfleet.store.Records;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.EnvelopeScan;
import keyfleet.store.engine.StoreCheck;
import keyfleet.store.engine.StoreUrl;
import org.jspecify.annotations.Nullable;

/// The engine for a MongoDB database: opens it and checks that it is safe to use.
public final class MongoEngine implements Engine {
  /// Kept in a field: the JVM forgets the level of a logger without references.
  private static final Logger DRIVER_LOGGER = Logger.getLogger("org.mongodb.driver");

  private final MongoClient client;
  private final MongoWatchRegistry watches;
  private final MongoKv kv;
  private final MongoKv pageKv;
  private final MongoCollections collections;
  private final List<StoreCheck> checks;

  private MongoEngine(
      MongoClient client,
      MongoWatchRegistry watches,
      MongoKv kv,
      MongoKv pageKv,
      MongoCollections collections,
      List<StoreCheck> checks) {
    this.client = client;
    this.watches = watches;
    this.kv = kv;
    this.pageKv = pageKv;
    this.collections = collections;
    this.checks = List.copyOf(checks);
  }

  public static MongoEngine open(StoreUrl url) {
    DRIVER_LOGGER.setLevel(Level.OFF);
    ConnectionLossListener lossListener = new ConnectionLossListener();
    ReadPreference pagePreference = MongoSettings.pageReadPreference(url);
    MongoClientSettings settings =
        MongoSettings.of(url)
            .applyToConnectionPoolSettings(pool -> pool.addConnectionPoolListener(lossListener))
            .build();
    MongoClient client = MongoClients.create(settings);
    try {
      return connect(url, client, lossListener, pagePreference);
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
  }

  private static MongoEngine connect(
      StoreUrl url,
      MongoClient client,
      ConnectionLossListener lossListener,
      ReadPreference pagePreference) {
    MongoDatabase admin = client.getDatabase("admin");
    MongoStoreClock clock = new MongoStoreClock(admin);
    MongoServerInfo server =
        MongoConnectErrors.translate(url, client, () -> MongoServerInfo.fetch(clock, admin));
    server.requireUsable(url);
    MongoDatabase database =
        client.getDatabase(MongoSettings.database(url)).withReadConcern(server.readConcern());
    if (url.isForReading()) {
      MongoSchema.requireExisting(database, url.toString());
    } else {
      MongoSchema.ensureVersion(database);
    }
    clock.now();
    MongoWatchRegistry watches = new MongoWatchRegistry(clock);
    lossListener.watches = watches;
    MongoBucketRegistry buckets = new MongoBucketRegistry(database, clock, url.isForReading());
    MongoBucketRegistry pageBuckets =
        new MongoBucketRegistry(
            database.withReadPreference(pagePreference).withReadConcern(server.pageReadConcern()),
            clock,
            true);
    return new MongoEngine(
        client,
        watches,
        new MongoKv(buckets, clock, watches),
        new MongoKv(pageBuckets, clock, watches),
        new MongoCollections(database, buckets),
        server.checks(url));
  }

  @Override
  public Kv kv() {
    return kv;
  }

  @Override
  public Kv kvForPages() {
    return pageKv;
  }

  @Override
  public Records records(CollectionShape shape) {
    return collections.records(shape);
  }

  @Override
  public EnvelopeScan scanForEnvelopes(EnvelopeScan.Scope scope) {
    return collections.scanForEnvelopes(scope);
  }

  @Override
  public void createCollection(CollectionShape shape) {
    collections.create(shape);
  }

  @Override
  public List<StoreCheck> storeChecks() {
    List<StoreCheck> all = new ArrayList<>(checks);
    all.add(collections.checkFencing());
    return List.copyOf(all);
  }

  @Override
  public void close() {
    watches.close();
    client.close();
  }

  /// Receives the driver's event when it drops its connections.
  private static final class ConnectionLossListener implements ConnectionPoolListener {
    private volatile @Nullable MongoWatchRegistry watches;

    @Override
    public void connectionPoolCleared(ConnectionPoolClearedEvent event) {
      MongoWatchRegistry notified = watches;
      if (notified != null) {
        notified.markAllMissed();
      }
    }
  }
}
