package keyfleet.mongodb;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.mongodb.MongoClientSettings;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.ReturnDocument;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import keyfleet.store.Bucket;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Revision;
import keyfleet.store.StoreException;
import keyfleet.store.StoreTime;
import keyfleet.store.Value;
import org.bson.BsonType;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonTypeClassMap;
import org.bson.codecs.DocumentCodecProvider;
import org.bson.codecs.configuration.CodecRegistries;
import org.bson.codecs.configuration.CodecRegistry;
import org.bson.conversions.Bson;
import org.bson.types.ObjectId;

/// The documents of one bucket. The package description explains their fields, and how revisions
/// rise across deletion and expiry. Exceptions of the driver pass through.
final class BucketDocuments {
  static final String ID = "_id";
  static final String REVISION = "rev";
  static final String GONE = "gone";
  static final String LIVES = "lives";

  private static final String AT = "at";
  private static final String LAST_HEARTBEAT = "last_heartbeat";
  private static final String VALUE = "value";
  private static final String CLAIM = "claim";

  /// How often the server may sweep a document between a refused insert and the read.
  private static final int MAX_ATTEMPTS = 10;

  /// A revision has the life of its key above this bit, and the write within that life below it.
  private static final int LIFE_SHIFT = 32;

  /// Leaves values encoded; [ValueBson] decodes them.
  private static final CodecRegistry CODECS =
      CodecRegistries.fromRegistries(
          CodecRegistries.fromProviders(
              new DocumentCodecProvider(
                  new BsonTypeClassMap(
                      Map.of(
                          BsonType.DATE_TIME,
                          Instant.class,
                          BsonType.DOCUMENT,
                          RawBsonDocument.class)))),
          MongoClientSettings.getDefaultCodecRegistry());

  private final Bucket bucket;
  private final MongoCollection<Document> documents;
  private final String stamp;
  private final Bson wholeEntry;
  private final Bson stampsOnly;
  private final MongoCollection<Document> registry;
  private final MongoStoreClock clock;

  BucketDocuments(
      Bucket bucket,
      MongoCollection<Document> documents,
      MongoCollection<Document> registry,
      MongoStoreClock clock) {
    this.bucket = bucket;
    this.documents = documents.withCodecRegistry(CODECS);
    this.stamp = stampField(bucket);
    // Reads project their fields: without a projection mongo-java-server returns its own documents,
    // and the next write would change them while they are sent.
    this.wholeEntry = Projections.include(ID, REVISION, stamp, VALUE, GONE, CLAIM);
    this.stampsOnly = Projections.include(ID, REVISION, stamp, GONE, CLAIM);
    this.registry = registry;
    this.clock = clock;
  }

  /// The field with the server's time of the last write. The entries that expire are heartbeats,
  /// and people look for the time of the last one under that name.
  static String stampField(Bucket bucket) {
    return switch (bucket) {
      case Bucket.Lasting _ -> AT;
      case Bucket.Expiring _ -> LAST_HEARTBEAT;
    };
  }

  Bucket bucket() {
    return bucket;
  }

  MongoCollection<Document> collection() {
    return documents;
  }

  FindIterable<Document> find(Document filter) {
    return documents
        .find(filter)
        .projection(wholeEntry)
        .maxTime(MongoSettings.SERVER_LIMIT.toMillis(), MILLISECONDS);
  }

  /// Entries written at this time or earlier have expired. Reads the store's time if entries of the
  /// bucket expire.
  ///
  /// Taken *before* a read it makes the result exact: a returned entry was alive at some moment of
  /// the call, an omitted one had expired when it was read. Changes use it too, so a refresh at the
  /// very moment of expiry may still succeed.
  Instant expiryHorizon() {
    return switch (bucket) {
      case Bucket.Lasting _ -> Instant.EPOCH;
      case Bucket.Expiring(_, var lifetime) ->
          Instant.ofEpochMilli(clock.now().millis()).minus(lifetime);
    };
  }

  boolean isAlive(Document found, Instant horizon) {
    return !found.containsKey(GONE) && found.get(stamp, Instant.class).isAfter(horizon);
  }

  Document aliveFilter(Instant horizon) {
    return new Document(GONE, new Document("$exists", false))
        .append(stamp, new Document("$gt", horizon));
  }

  Entry toEntry(Document found) {
    Instant at = found.get(stamp, Instant.class);
    clock.observe(at);
    return new Entry(
        new Key(found.getString(ID)),
        ValueBson.toValue(found.get(VALUE)),
        new Revision(found.getLong(REVISION)),
        new StoreTime(at.toEpochMilli()));
  }

  /// Returns the key's document. Without one, creates a claim, which is not an entry yet.
  ///
  /// By insert, not by upsert: some servers lose racing upserts.
  Document claimSlot(Key key) {
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
      Optional<Document> slot = insertClaim(key);
      if (slot.isEmpty()) {
        slot = Optional.ofNullable(find(new Document(ID, key.value())).first());
      }
      if (slot.isPresent()) {
        return slot.get();
      }
    }
    throw new StoreException(
        "key %s of the %s is taken and cannot be read".formatted(key, bucket.label()));
  }

  /// Empty if the key has a document.
  private Optional<Document> insertClaim(Key key) {
    Instant now = Instant.ofEpochMilli(clock.latest().millis());
    Document claim =
        new Document(ID, key.value())
            .append(REVISION, 0L)
            .append(CLAIM, new ObjectId())
            .append(stamp, now)
            .append(GONE, now);
    return MongoErrors.isInserted(() -> documents.insertOne(claim))
        ? Optional.of(claim)
        : Optional.empty();
  }

  static boolean isClaim(Document slot) {
    return slot.getLong(REVISION) == 0;
  }

  /// Takes the revision with which a slot becomes an entry. The life of a claim is counted *after*
  /// the claim was created, so that it is higher than every earlier life of the key.
  long takeNextRevision(Document slot) {
    return isClaim(slot) ? (takeNextLife() << LIFE_SHIFT) + 1 : slot.getLong(REVISION) + 1;
  }

  private long takeNextLife() {
    Document registration =
        registry.findOneAndUpdate(
            new Document(ID, bucket.name()),
            new Document("$inc", new Document(LIVES, 1L)),
            new FindOneAndUpdateOptions()
                .projection(Projections.include(LIVES))
                .returnDocument(ReturnDocument.AFTER));
    if (registration == null) {
      throw new IllegalStateException("bucket " + bucket.name() + " is no longer registered");
    }
    return registration.getLong(LIVES);
  }

  /// Makes the slot an entry; empty if the slot has changed since it was read.
  Optional<Revision> fill(Document slot, long revision, Value value) {
    Document asRead = new Document(ID, slot.getString(ID)).append(REVISION, slot.getLong(REVISION));
    if (isClaim(slot)) {
      asRead.append(CLAIM, slot.getObjectId(CLAIM));
    }
    Document change =
        new Document(
                "$set", new Document(REVISION, revision).append(VALUE, ValueBson.toBson(value)))
            .append("$unset", new Document(GONE, "").append(CLAIM, ""))
            .append("$currentDate", new Document(stamp, true));
    return write(asRead, change);
  }

  /// Overwrites the key's entry or tombstone; empty if the key has no document or only a claim.
  Optional<Revision> overwrite(Key key, Value value) {
    Document unclaimed = new Document(ID, key.value()).append(REVISION, new Document("$gt", 0L));
    Document change =
        new Document("$inc", new Document(REVISION, 1L))
            .append("$set", new Document(VALUE, ValueBson.toBson(value)))
            .append("$unset", new Document(GONE, ""))
            .append("$currentDate", new Document(stamp, true));
    return write(unclaimed, change);
  }

  Optional<Revision> replace(Key key, Revision expected, Instant horizon, Value value) {
    Document change =
        new Document("$inc", new Document(REVISION, 1L))
            .append("$set", new Document(VALUE, ValueBson.toBson(value)))
            .append("$currentDate", new Document(stamp, true));
    return write(expectedFilter(key, expected, horizon), change);
  }

  /// Leaves a tombstone, a document without value, so that pollers see the deletion.
  Optional<Revision> markDeleted(Key key, Revision expected, Instant horizon) {
    Document change =
        new Document("$inc", new Document(REVISION, 1L))
            .append("$unset", new Document(VALUE, ""))
            .append("$currentDate", new Document(stamp, true).append(GONE, true));
    return write(expectedFilter(key, expected, horizon), change);
  }

  private Document expectedFilter(Key key, Revision expected, Instant horizon) {
    Document filter = aliveFilter(horizon);
    filter.append(ID, key.value()).append(REVISION, expected.number());
    return filter;
  }

  private Optional<Revision> write(Document filter, Document change) {
    Optional<Document> after = modify(filter, change, readAfterUpdate());
    after.ifPresent(it -> clock.observe(it.get(stamp, Instant.class)));
    return after.map(it -> new Revision(it.getLong(REVISION)));
  }

  private Optional<Document> modify(
      Document filter, Document change, FindOneAndUpdateOptions options) {
    return Optional.ofNullable(documents.findOneAndUpdate(filter, change, options));
  }

  private FindOneAndUpdateOptions readAfterUpdate() {
    return new FindOneAndUpdateOptions()
        .projection(stampsOnly)
        .returnDocument(ReturnDocument.AFTER);
  }
}
