package keyfleet.mongodb;

import static keyfleet.mongodb.BucketDocuments.GONE;
import static keyfleet.mongodb.BucketDocuments.ID;
import static keyfleet.mongodb.BucketDocuments.LIVES;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Projections;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import keyfleet.store.Bucket;
import keyfleet.store.StoreRefusedException;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

/// The registered buckets of a store. First use creates a bucket; its settings never change.
final class MongoBucketRegistry {
  /// Cannot collide with buckets and collections: their names contain no dot.
  private static final String REGISTRY = "keyfleet.buckets";

  private static final String LIFETIME = "lifetime_ms";
  private static final long LASTING = 0;

  /// How long pollers can see a deletion before the server sweeps the tombstone.
  static final Duration TOMBSTONE_LIFETIME = Duration.ofHours(1);

  /// The server sweeps an entry only after it has expired by store time.
  private static final Duration SWEEP_DELAY = Duration.ofMinutes(1);

  private final MongoDatabase database;
  private final MongoCollection<Document> registry;
  private final MongoStoreClock clock;

  /// A command that only reads registers no bucket; one that is not registered has no entries.
  private final boolean isForReading;

  private final Map<String, BucketDocuments> opened = new ConcurrentHashMap<>();

  MongoBucketRegistry(MongoDatabase database, MongoStoreClock clock, boolean isForReading) {
    this.isForReading = isForReading;
    this.database = database;
    this.registry = database.getCollection(REGISTRY);
    this.clock = clock;
  }

  BucketDocuments open(Bucket bucket) {
    BucketDocuments known = opened.get(bucket.name());
    if (known == null) {
      known = MongoErrors.translate(() -> create(bucket));
      opened.put(bucket.name(), known);
    }
    if (!known.bucket().equals(bucket)) {
      throw mismatch(bucket, known.bucket());
    }
    return known;
  }

  boolean isBucket(String collection) {
    return registry.find(byName(collection)).projection(Projections.include(ID)).first() != null;
  }

  /// Safe for concurrent processes: they register the same settings or one fails, and the creation
  /// of an existing index does nothing.
  private BucketDocuments create(Bucket bucket) {
    MongoCollection<Document> documents = database.getCollection(bucket.name());
    if (!isBucket(bucket.name()) && hasForeignDocuments(documents)) {
      throw new StoreRefusedException(
          "collection %s of database %s does not belong to Keyfleet, but Keyfleet needs that name"
              .formatted(bucket.name(), database.getName()),
          "give Keyfleet its own database in the store's URL");
    }
    if (!isForReading) {
      register(bucket);
      createIndexes(bucket, documents);
    }
    return new BucketDocuments(bucket, documents, registry, clock);
  }

  /// True if the collection holds documents and, read after them, there is still no registration.
  private boolean hasForeignDocuments(MongoCollection<Document> documents) {
    return documents.find().projection(Projections.include(ID)).first() != null
        && !isBucket(documents.getNamespace().getCollectionName());
  }

  private void register(Bucket bucket) {
    Document registration =
        byName(bucket.name()).append(LIFETIME, lifetimeMillis(bucket)).append(LIVES, 0L);
    Document registered = findRegistration(bucket.name());
    if (registered == null) {
      registered =
          MongoErrors.isInserted(() -> registry.insertOne(registration))
              ? registration
              : findRegistration(bucket.name());
    }
    if (registered == null || registered.getLong(LIFETIME) != lifetimeMillis(bucket)) {
      throw mismatch(
          bucket, registered == null ? "unregistered" : registered.getLong(LIFETIME) + " ms");
    }
  }

  private @Nullable Document findRegistration(String name) {
    return registry.find(byName(name)).projection(Projections.include(LIFETIME)).first();
  }

  private static void createIndexes(Bucket bucket, MongoCollection<Document> documents) {
    IndexOptions sweep = new IndexOptions();
    String stamp = BucketDocuments.stampField(bucket);
    switch (bucket) {
      case Bucket.Lasting _ -> {
        documents.createIndex(Indexes.ascending(stamp));
        documents.createIndex(
            Indexes.ascending(GONE),
            sweep.expireAfter(TOMBSTONE_LIFETIME.toSeconds(), TimeUnit.SECONDS));
      }
      case Bucket.Expiring(_, var lifetime) -> {
        Duration kept = lifetime.plusSeconds(1).plus(SWEEP_DELAY);
        documents.createIndex(
            Indexes.ascending(stamp), sweep.expireAfter(kept.toSeconds(), TimeUnit.SECONDS));
      }
    }
  }

  private static long lifetimeMillis(Bucket bucket) {
    return switch (bucket) {
      case Bucket.Lasting _ -> LASTING;
      case Bucket.Expiring(_, var lifetime) -> lifetime.toMillis();
    };
  }

  private static IllegalArgumentException mismatch(Bucket requested, Object registered) {
    return new IllegalArgumentException(
        "bucket %s is registered as %s, not as %s"
            .formatted(requested.name(), registered, requested));
  }

  private static Document byName(String name) {
    return new Document(ID, name);
  }
}
