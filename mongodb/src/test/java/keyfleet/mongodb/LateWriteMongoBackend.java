package keyfleet.mongodb;

import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// A server that enforces validators when a write arrives, and makes the write visible only after
/// the next read: as FerretDB 2.7 does with writes that began before a `collMod`.
final class LateWriteMongoBackend extends ValidatingMongoBackend {
  private final List<MongoMessage> pending = new ArrayList<>();

  @Override
  public synchronized Document handleMessage(MongoMessage message) {
    Document query = message.getDocument();
    if (isAllowedInsert(message.getDatabaseName(), query)) {
      pending.add(message);
      return new Document("ok", 1.0).append("n", documents(query).size());
    }
    Document answer = super.handleMessage(message);
    if (query.containsKey("find")) {
      runUnvalidated(() -> pending.forEach(super::handleMessage));
      pending.clear();
    }
    return answer;
  }

  private boolean isAllowedInsert(String database, Document query) {
    return query.get("insert") instanceof String collection
        && collection.startsWith("keyfleet.scratch.")
        && documents(query).stream().allMatch(it -> isAllowed(database, collection, it));
  }

  private static List<Document> documents(Document insert) {
    return insert.get("documents") instanceof Collection<?> all
        ? all.stream().map(Document.class::cast).toList()
        : List.of();
  }
}
