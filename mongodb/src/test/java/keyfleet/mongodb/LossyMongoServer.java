package keyfleet.mongodb;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.bson.Document;
import java.util.List;

/// A server behind the real driver that acknowledges every compare-and-set and forgets each third.
/// What Keyfleet keeps there about the store itself stays whole, so that only a probe can tell.
public final class LossyMongoServer implements AutoCloseable {
  private static final int LOSES_EVERY = 3;

  private final MongoServer server = MongoTestServers.start(new ScriptedMongoBackend(this::answer));
  private int changes;

  public String url() {
    return "mongodb://" + MongoTestServers.hostOf(server) + "/lossy";
  }

  private synchronized Document answer(ScriptedMongoBackend.Call call) {
    String collection = String.valueOf(call.query().get(call.name()));
    boolean changes = call.name().equals("findAndModify") && !collection.startsWith("keyfleet.");
    return changes ? applyAndMaybeUndo(collection, call) : call.forward();
  }

  /// Done and answered as asked, then undone.
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
