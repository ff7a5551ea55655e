package keyfleet.mongodb;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.bson.Document;
import java.util.List;

/// A server that acknowledges writes and loses some. Keyfleet's own documents about the store stay
/// intact, so that only the compare-and-set probe can find the losses.
public final class LossyMongoServer implements AutoCloseable {
  /// Which acknowledged writes are lost.
  enum Loss {
    /// Every third change.
    CHANGES,
    /// Every document that an upsert creates.
    UPSERTS,
    /// Every document for which another insert of the same id follows.
    RACED_INSERTS
  }

  private static final int LOSES_EVERY = 3;

  private final MongoServer server = MongoTestServers.start(new ScriptedMongoBackend(this::answer));
  private final Loss loss;
  private int changes;

  /// A server that loses every third change.
  public LossyMongoServer() {
    this(Loss.CHANGES);
  }

  LossyMongoServer(Loss loss) {
    this.loss = loss;
  }

  public String url() {
    return "mongodb://" + MongoTestServers.hostOf(server) + "/lossy";
  }

  private synchronized Document answer(ScriptedMongoBackend.Call call) {
    String collection = String.valueOf(call.query().get(call.name()));
    boolean isChange = call.name().equals("findAndModify");
    if (isChange && loss == Loss.UPSERTS && isUpsert(call)) {
      return applyAndUndo(collection, call);
    }
    if (isChange && loss == Loss.CHANGES && !isOwn(collection)) {
      return applyAndMaybeUndo(collection, call);
    }
    return call.name().equals("insert") && loss == Loss.RACED_INSERTS && !isOwn(collection)
        ? insertOverEarlier(collection, call)
        : call.forward();
  }

  private static boolean isOwn(String collection) {
    return collection.startsWith("keyfleet.");
  }

  private static boolean isUpsert(ScriptedMongoBackend.Call call) {
    return Boolean.TRUE.equals(call.query().get("upsert"));
  }

  private static Document applyAndUndo(String collection, ScriptedMongoBackend.Call call) {
    Document filter = new Document("q", call.query().get("query"));
    boolean isNew =
        ScriptedMongoBackend.batch(
                call.forward(
                    new Document("find", collection).append("filter", call.query().get("query"))))
            .isEmpty();
    Document answer = call.forward();
    if (isNew) {
      call.forward(
          new Document("delete", collection).append("deletes", List.of(filter.append("limit", 0))));
    }
    return answer;
  }

  private static Document insertOverEarlier(String collection, ScriptedMongoBackend.Call call) {
    Object documents = call.query().get("documents");
    for (Object inserted : documents instanceof Iterable<?> all ? all : List.of()) {
      Document filter = new Document("_id", ((Document) inserted).get("_id"));
      Document delete = new Document("q", filter).append("limit", 0);
      call.forward(new Document("delete", collection).append("deletes", List.of(delete)));
    }
    return call.forward();
  }

  /// Applies and answers the command, then undoes it every third time.
  private Document applyAndMaybeUndo(String collection, ScriptedMongoBackend.Call call) {
    Document found =
        call.forward(
            new Document("find", collection)
                .append("filter", call.query().get("query"))
                .append("limit", 1));
    List<Document> before = ScriptedMongoBackend.batch(found);
    Document kept = before.isEmpty() ? null : before.getFirst().cloneDeeply();
    Document answer = call.forward();
    if (kept != null && ++changes % LOSES_EVERY == 0) {
      Document undo = new Document("q", new Document("_id", kept.get("_id"))).append("u", kept);
      call.forward(new Document("update", collection).append("updates", List.of(undo)));
    }
    return answer;
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
