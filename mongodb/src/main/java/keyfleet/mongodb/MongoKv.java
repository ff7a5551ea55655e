package keyfleet.mongodb;

import static keyfleet.mongodb.BucketDocuments.ID;

import com.mongodb.client.model.Sorts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.store.Bucket;
import keyfleet.store.Conflict;
import keyfleet.store.DeleteResult;
import keyfleet.store.DeleteResult.Deleted;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import keyfleet.store.Revision;
import keyfleet.store.StoreException;
import keyfleet.store.StoreTime;
import keyfleet.store.Unknown;
import keyfleet.store.Value;
import keyfleet.store.Watch;
import keyfleet.store.Watcher;
import keyfleet.store.WriteResult;
import keyfleet.store.WriteResult.Written;
import org.bson.Document;

/// Keys and values in MongoDB. Each change is one atomic command on one document; the package
/// description shows the documents.
final class MongoKv implements Kv {
  private static final int PAGE = 1_000;

  /// How often a slot may change while a caller tries to fill it.
  private static final int MAX_ATTEMPTS = 100;

  private final MongoBucketRegistry buckets;
  private final MongoStoreClock clock;
  private final MongoWatchRegistry watches;

  MongoKv(MongoBucketRegistry buckets, MongoStoreClock clock, MongoWatchRegistry watches) {
    this.buckets = buckets;
    this.clock = clock;
    this.watches = watches;
  }

  @Override
  public Optional<Entry> get(Bucket bucket, Key key) {
    BucketDocuments documents = buckets.open(bucket);
    Instant horizon = documents.expiryHorizon();
    return MongoErrors.translate(() ->
        Optional.ofNullable(documents.find(new Document(ID, key.value())).first())
            .filter(it -> documents.isAlive(it, horizon))
            .map(documents::toEntry));
  }

  @Override
  public WriteResult create(Bucket bucket, Key key, Value value) {
    BucketDocuments documents = buckets.open(bucket);
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
      Document slot = MongoErrors.translate(() -> documents.claimSlot(key));
      if (!slot.containsKey(BucketDocuments.GONE)
          && documents.isAlive(slot, documents.expiryHorizon())) {
        return new Conflict();
      }
      WriteResult result = fill(documents, slot, value);
      if (!(result instanceof Conflict)) {
        return result;
      }
    }
    throw tooManyConflicts(bucket, key);
  }

  @Override
  public WriteResult put(Bucket bucket, Key key, Value value) {
    BucketDocuments documents = buckets.open(bucket);
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
      WriteResult result = write(() -> documents.overwrite(key, value));
      if (result instanceof Conflict) {
        Document slot = MongoErrors.translate(() -> documents.claimSlot(key));
        result = fill(documents, slot, value);
      }
      if (!(result instanceof Conflict)) {
        return result;
      }
    }
    throw tooManyConflicts(bucket, key);
  }

  @Override
  public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
    BucketDocuments documents = buckets.open(bucket);
    Instant horizon = documents.expiryHorizon();
    return write(() -> documents.replace(key, expected, horizon, value));
  }

  @Override
  public DeleteResult delete(Bucket bucket, Key key, Revision expected) {
    BucketDocuments documents = buckets.open(bucket);
    Instant horizon = documents.expiryHorizon();
    return MongoErrors.translateWrite(
        () ->
            documents.markDeleted(key, expected, horizon).isPresent()
                ? new Deleted()
                : new Conflict(),
        new Unknown());
  }

  @Override
  public List<Entry> list(Bucket bucket, Prefix prefix) {
    BucketDocuments documents = buckets.open(bucket);
    List<Entry> entries = new ArrayList<>();
    String from = prefix.value();
    List<Entry> page;
    do {
      Document range = upperBound(prefix).append(entries.isEmpty() ? "$gte" : "$gt", from);
      page = readPage(documents, range);
      entries.addAll(page);
      from = page.isEmpty() ? from : page.getLast().key().value();
    } while (page.size() == PAGE);
    return List.copyOf(entries);
  }

  @Override
  public Watch watch(Bucket bucket, Prefix prefix, Watcher watcher) {
    return watches.start(buckets.open(bucket), prefix, watcher);
  }

  @Override
  public StoreTime storeTime() {
    return clock.now();
  }

  private static List<Entry> readPage(BucketDocuments documents, Document range) {
    Document filter = documents.aliveFilter(documents.expiryHorizon()).append(ID, range);
    return MongoErrors.translate(() ->
        documents
            .find(filter)
            .sort(Sorts.ascending(ID))
            .limit(PAGE)
            .batchSize(PAGE)
            .map(documents::toEntry)
            .into(new ArrayList<>()));
  }

  /// A prefix ends before the character that follows its dot.
  static Document upperBound(Prefix prefix) {
    String branch = prefix.value();
    return branch.isEmpty()
        ? new Document()
        : new Document("$lt", branch.substring(0, branch.length() - 1) + (char) ('.' + 1));
  }

  /// `Conflict` if the slot has changed since it was read.
  private static WriteResult fill(BucketDocuments documents, Document slot, Value value) {
    long revision = MongoErrors.translate(() -> documents.takeNextRevision(slot));
    return write(() -> documents.fill(slot, revision, value));
  }

  private static WriteResult write(Supplier<Optional<Revision>> change) {
    return MongoErrors.translateWrite(
        () -> change.get().<WriteResult>map(Written::new).orElseGet(Conflict::new), new Unknown());
  }

  private static StoreException tooManyConflicts(Bucket bucket, Key key) {
    return new StoreException(
        "key %s of the %s changed during %d attempts to write it"
            .formatted(key, bucket.label(), MAX_ATTEMPTS));
  }
}
