package keyfleet.mongodb;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import keyfleet.store.Bucket;
import keyfleet.store.FaultProxy;
import keyfleet.store.ForwardingKv;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.KvFixture;
import keyfleet.store.Prefix;
import keyfleet.store.Watch;
import keyfleet.store.Watcher;
import org.bson.Document;
import org.bson.types.Binary;

/// A store in its own database. Its watches have a separate connection, which can be cut.
final class MongoKvFixture implements KvFixture, ForwardingKv {
  private static final int BULK = 5_000;

  private final MongoTestServers.TestDatabase database = MongoTestServers.database();
  private final FaultProxy proxy = database.startProxy();
  private final MongoEngine direct = MongoEngine.open(database.url());
  private final MongoClient other = MongoClients.create(MongoSettings.of(database.url()).build());
  private final MongoEngine watching = MongoEngine.open(database.urlThrough(proxy));

  @Override
  public Kv kv() {
    return this;
  }

  @Override
  public Kv inner() {
    return direct.kv();
  }

  MongoTestServers.TestDatabase database() {
    return database;
  }

  /// The bucket registry of another process.
  MongoBucketRegistry buckets() {
    return new MongoBucketRegistry(
        other.getDatabase(database.name()), new MongoStoreClock(other.getDatabase("admin")), false);
  }

  @Override
  public Watch watch(Bucket bucket, Prefix prefix, Watcher watcher) {
    return watching.kv().watch(bucket, prefix, watcher);
  }

  @Override
  public void runWithWatchesDisconnected(Runnable meanwhile) {
    proxy.cut();
    meanwhile.run();
    proxy.restore();
  }

  /// Inserts entries of one life, in bulk.
  @Override
  public void fill(Bucket bucket, List<Key> keys) {
    inner().get(bucket, keys.getFirst());
    long life = 1;
    database
        .collection("keyfleet.buckets")
        .updateOne(
            new Document("_id", bucket.name()), new Document("$inc", new Document("lives", life)));
    Instant now = Instant.ofEpochMilli(storeTime().millis());
    for (int from = 0; from < keys.size(); from += BULK) {
      List<Document> documents = new ArrayList<>();
      for (Key key : keys.subList(from, Math.min(keys.size(), from + BULK))) {
        documents.add(
            new Document("_id", key.value())
                .append("rev", (life << 32) + 1)
                .append(BucketDocuments.stampField(bucket), now)
                .append("value", new Binary(key.value().getBytes(UTF_8))));
      }
      database.collection(bucket.name()).insertMany(documents);
    }
  }

  @Override
  public void close() {
    watching.close();
    direct.close();
    other.close();
    proxy.close();
    database.close();
  }
}
