package keyfleet.mongodb;

import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.backend.DefaultQueryMatcher;
import de.bwaldvogel.mongo.backend.EmptyIndex;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// `mongo-java-server` with validators as MongoDB's manual describes them: `collMod` sets them; at
/// level `moderate` they apply to inserts and to updates of documents that satisfied them before.
class ValidatingMongoBackend extends MemoryBackend {
  private final Map<String, Document> options = new ConcurrentHashMap<>();
  private volatile boolean isSuspended;

  /// Whether the collection's validator allows the document.
  final boolean isAllowed(String databaseName, String collection, Document document) {
    return isValid(options.get(databaseName + "." + collection), document);
  }

  /// Runs `work` while no validator applies.
  final void runUnvalidated(Runnable work) {
    isSuspended = true;
    try {
      work.run();
    } finally {
      isSuspended = false;
    }
  }

  @Override
  public Document handleMessage(MongoMessage message) {
    String database = message.getDatabaseName();
    Document query = message.getDocument();
    String command = query.keySet().iterator().next();
    if (command.equals("collMod")) {
      return applyCollMod(database, query);
    }
    if (command.equals("drop")) {
      removeValidator(database, database + "." + query.get("drop"));
    }
    if (command.equals("dropDatabase")) {
      options.keySet().forEach(it -> removeValidator(database, it));
    }
    Document answer = super.handleMessage(message);
    if (command.equals("create") && query.containsKey("validator")) {
      applyCollMod(database, new Document(query).append("collMod", query.get("create")));
    }
    return command.equals("listCollections") ? withOptions(database, answer) : answer;
  }

  /// Waits for commands that run on the collection, as the server's lock does.
  private Document applyCollMod(String databaseName, Document query) {
    MongoDatabase database = resolveDatabase(databaseName);
    String name = (String) query.get("collMod");
    @SuppressWarnings("unchecked")
    MongoCollection<Integer> collection =
        (MongoCollection<Integer>) database.resolveCollection(name, true);
    synchronized (collection) {
      if (options.put(databaseName + "." + name, withoutName(query)) == null) {
        // Not with addIndex, which would check the existing documents.
        collection.getIndexes().add(new ValidatorIndex(databaseName + "." + name));
      }
    }
    return new Document("ok", 1.0);
  }

  /// Removes the validator index: the emulator drops a collection only together with its indexes.
  private void removeValidator(String databaseName, String namespace) {
    String prefix = databaseName + ".";
    if (namespace.startsWith(prefix) && options.remove(namespace) != null) {
      resolveDatabase(databaseName)
          .resolveCollection(namespace.substring(prefix.length()), true)
          .getIndexes()
          .removeIf(it -> it instanceof ValidatorIndex);
    }
  }

  private static Document withoutName(Document query) {
    Document kept = new Document();
    for (String name : List.of("validator", "validationLevel", "validationAction")) {
      if (query.containsKey(name)) {
        kept.put(name, query.get(name));
      }
    }
    return kept;
  }

  private Document withOptions(String databaseName, Document answer) {
    for (Document collection : ScriptedMongoBackend.batch(answer)) {
      String name = databaseName + "." + collection.get("name");
      collection.put("options", options.getOrDefault(name, new Document()));
    }
    return answer;
  }

  private static boolean isValid(@Nullable Document validation, Document document) {
    if (validation == null || "warn".equals(validation.get("validationAction"))) {
      return true;
    }
    return !(validation.get("validator") instanceof Document rule)
        || new DefaultQueryMatcher().matches(document, rule);
  }

  /// A fake index that enforces the validator: the emulator checks indexes before each write.
  private final class ValidatorIndex extends EmptyIndex<Integer> {
    private final String namespace;

    ValidatorIndex(String namespace) {
      super("keyfleet guard", List.of(new IndexKey("validator", true)));
      this.namespace = namespace;
    }

    @Override
    public void checkAdd(Document document, MongoCollection<Integer> collection) {
      refuse(document);
    }

    @Override
    public void checkUpdate(Document before, Document after, MongoCollection<Integer> collection) {
      if (isValid(before)) {
        refuse(after);
      }
    }

    private void refuse(Document document) {
      if (!isValid(document)) {
        throw new MongoServerError(121, "DocumentValidationFailure", "Document failed validation");
      }
    }

    private boolean isValid(Document document) {
      return isSuspended || ValidatingMongoBackend.isValid(options.get(namespace), document);
    }
  }
}
