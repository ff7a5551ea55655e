package keyfleet.mongodb;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.ReturnDocument;
import keyfleet.store.StoreRefusedException;
import org.bson.Document;

/// The version of everything that Keyfleet keeps in a database. It is written by the first that
/// opens the database, and found by all others.
final class MongoSchema {
  private static final String COLLECTION = "keyfleet.schema";
  private static final String VERSION = "version";

  private static final int CURRENT = 1;

  private MongoSchema() {}

  static void check(MongoDatabase database) {
    Object found = MongoErrors.sure(() -> version(database));
    if (!found.equals(CURRENT)) {
      throw new StoreRefusedException(
          "database %s has Keyfleet's schema %s, this program knows %d"
              .formatted(database.getName(), found, CURRENT),
          "use the program that made it, or a newer one");
    }
  }

  private static Object version(MongoDatabase database) {
    MongoCollection<Document> collection = database.getCollection(COLLECTION);
    Document only = new Document("_id", "schema");
    Document held = collection.find(only).projection(Projections.include(VERSION)).first();
    if (held == null) {
      Document first = new Document("$setOnInsert", new Document(VERSION, CURRENT));
      FindOneAndUpdateOptions options =
          new FindOneAndUpdateOptions()
              .upsert(true)
              .projection(Projections.include(VERSION))
              .returnDocument(ReturnDocument.AFTER);
      held = MongoErrors.upsert(() -> collection.findOneAndUpdate(only, first, options));
    }
    Object version = held == null ? null : held.get(VERSION);
    return version == null ? "none" : version;
  }
}
