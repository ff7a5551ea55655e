package keyfleet.mongodb;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import java.util.ArrayList;
import java.util.Optional;
import java.util.Set;
import keyfleet.store.CollectionShape;
import keyfleet.store.Records;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.EnvelopeScan;
import keyfleet.store.engine.StoreCheck;
import org.bson.Document;

/// Finds, checks and creates the collections that hold an application's records.
final class MongoCollections {
  private static final String NOT_ENFORCED =
      "this server does not enforce validators: collections count as unfenced";
  private static final String NO_BARRIER =
      "this server lets writes land after the validator that forbids them: collections count as"
          + " unfenced";
  private static final String UNFENCED_REMEDY =
      "disable old versions, do not destroy them; destroying one needs a written waiver";

  private static final int NAMESPACE_EXISTS = 48;

  private final MongoDatabase database;
  private final MongoBucketRegistry buckets;
  private final ValidatorInstaller validators;

  MongoCollections(MongoDatabase database, MongoBucketRegistry buckets) {
    this.database = database;
    this.buckets = buckets;
    this.validators = new ValidatorInstaller(database);
  }

  Records records(CollectionShape shape) {
    RecordDocuments documents =
        MongoErrors.translate(() -> {
          Document options = requireCollection(shape);
          requireUniqueIndex(shape);
          RecordDocuments opened =
              new RecordDocuments(
                  database.getCollection(shape.name()), shape, hasOwnCollation(options));
          opened.refuseUnsupportedIds();
          return opened;
        });
    return new MongoRecords(shape, documents, new MongoFence(shape, database, validators));
  }

  EnvelopeScan scanForEnvelopes(EnvelopeScan.Scope scope) {
    return new MongoEnvelopeScanner(database, buckets, scope).scan();
  }

  /// An existing collection stays as it is, except for the unique index on its ids and the index on
  /// its version field.
  void create(CollectionShape shape) {
    MongoErrors.translate(() -> {
      try {
        database.createCollection(shape.name());
      } catch (MongoCommandException e) {
        if (e.getErrorCode() != NAMESPACE_EXISTS) {
          throw e;
        }
      }
      if (!hasUniqueIndex(shape)) {
        database
            .getCollection(shape.name())
            .createIndex(Indexes.ascending(shape.idField()), new IndexOptions().unique(true));
      }
      shape
          .versionField()
          .ifPresent(it -> database.getCollection(shape.name()).createIndex(Indexes.ascending(it)));
      return shape;
    });
  }

  StoreCheck checkFencing() {
    try {
      return switch (validators.enforcement()) {
        case FENCES ->
            StoreCheck.ok("validators are enforced and wait for open writes, so a fence holds");
        case IGNORED -> StoreCheck.warn(NOT_ENFORCED, UNFENCED_REMEDY);
        case NO_BARRIER -> StoreCheck.warn(NO_BARRIER, UNFENCED_REMEDY);
      };
    } catch (StoreException e) {
      return StoreCheck.warn("cannot tell whether validators are enforced", e.getMessage());
    }
  }

  /// Returns the collection's options.
  private Document requireCollection(CollectionShape shape) {
    Optional<Document> found =
        database.listCollections().into(new ArrayList<>()).stream()
            .filter(it -> shape.name().equals(it.getString("name")))
            .findFirst();
    if (found.isEmpty() || !"collection".equals(found.get().getString("type"))) {
      throw StoreRefusedException.noCollection(
          "database %s has no collection %s".formatted(database.getName(), shape.name()),
          "db.createCollection(\"%s\")".formatted(shape.name()));
    }
    if (buckets.isBucket(shape.name())) {
      throw new StoreRefusedException(
          "collection %s is a bucket of Keyfleet".formatted(shape.name()),
          "give Keyfleet its own database in the store's URL");
    }
    return found.get().get("options", new Document());
  }

  /// A collection keeps its collation for life.
  private static boolean hasOwnCollation(Document options) {
    return options.get("collation") instanceof Document own && !"simple".equals(own.get("locale"));
  }

  private void requireUniqueIndex(CollectionShape shape) {
    if (!hasUniqueIndex(shape)) {
      throw new StoreRefusedException(
          "collection %s has no unique index on %s alone".formatted(shape.name(), shape.idField()),
          "db.%s.createIndex({%s: 1}, {unique: true})".formatted(shape.name(), shape.idField()));
    }
  }

  private boolean hasUniqueIndex(CollectionShape shape) {
    return shape.idField().equals("_id")
        || database.getCollection(shape.name()).listIndexes().into(new ArrayList<>()).stream()
            .anyMatch(it -> hasUniqueIndex(it, shape.idField()));
  }

  private static boolean hasUniqueIndex(Document index, String field) {
    return Boolean.TRUE.equals(index.get("unique"))
        && !index.containsKey("partialFilterExpression")
        && index.get("key", new Document()).keySet().equals(Set.of(field));
  }
}
