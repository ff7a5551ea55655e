package keyfleet.mongodb;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.bson.Document;
import java.util.List;

/// A server that acknowledges every compare-and-set and loses every third. Keyfleet's own documents
/// about the store stay intact, so that only the compare-and-set probe can find the losses.
public final class LossyMongoServer implements AutoCloseable {
  private static final int LOSES_EVERY = 3;

  private final MongoServer server = MongoTestServers.start(new ScriptedMongoBackend(this::answer));
  private int changes;

  public String url() {
    return "mongodb://" + MongoTestServers.hostOf(server) + "/lossy";
  }

  private synchronized Document answer(ScriptedMongoBackend.Call call) {
    String collection = String.valueOf(call.query().get(call.name()));
    boolean isChange = call.name().equals("findAndModify") && !collection.startsWith("keyfleet.");
    return isChange ? applyAndMaybeUndo(collection, call) : call.forward();
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
