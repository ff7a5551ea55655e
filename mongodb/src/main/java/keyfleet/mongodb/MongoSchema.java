package keyfleet.mongodb;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Projections;
import keyfleet.store.StoreRefusedException;
import org.bson.Document;

/// The version of all documents that Keyfleet keeps in a database. The first process that opens the
/// database writes it.
final class MongoSchema {
  private static final String COLLECTION = "keyfleet.schema";
  private static final String VERSION = "version";

  private static final int SUPPORTED = 2;

  private MongoSchema() {}

  /// For a command that only reads.
  static void requireExisting(MongoDatabase database, String address) {
    Document byId = new Document("_id", "schema");
    Document stored =
        MongoErrors.translate(() -> database.getCollection(COLLECTION).find(byId).first());
    if (stored == null) {
      throw StoreRefusedException.noStore(address);
    }
    Object version = stored.get(VERSION);
    checkVersion(database, version == null ? "none" : version);
  }

  static void ensureVersion(MongoDatabase database) {
    checkVersion(database, MongoErrors.translate(() -> readOrCreateVersion(database)));
  }

  private static void checkVersion(MongoDatabase database, Object found) {
    if (!found.equals(SUPPORTED)) {
      throw new StoreRefusedException(
          "database %s has Keyfleet schema %s, this Keyfleet knows version %d"
              .formatted(database.getName(), found, SUPPORTED),
          "use the Keyfleet version that created it, or a newer one");
    }
  }

  private static Object readOrCreateVersion(MongoDatabase database) {
    MongoCollection<Document> collection = database.getCollection(COLLECTION);
    Document byId = new Document("_id", "schema");
    Document stored = collection.find(byId).projection(Projections.include(VERSION)).first();
    if (stored == null) {
      Document first = new Document(byId).append(VERSION, SUPPORTED);
      stored =
          MongoErrors.isInserted(() -> collection.insertOne(first))
              ? first
              : collection.find(byId).projection(Projections.include(VERSION)).first();
    }
    Object version = stored == null ? null : stored.get(VERSION);
    return version == null ? "none" : version;
  }
}
