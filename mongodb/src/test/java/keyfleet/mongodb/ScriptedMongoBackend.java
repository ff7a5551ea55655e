package keyfleet.mongodb;

import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import java.util.Collection;
import java.util.List;

/// `mongo-java-server`, but a script may answer in its place, or after it.
final class ScriptedMongoBackend extends MemoryBackend {
  /// A command, and the server that would answer it.
  interface Call {
    String name();

    Document query();

    /// What the server answers to this command.
    default Document forward() {
      return forward(query());
    }

    /// What the server answers to another, sent to the same database.
    Document forward(Document query);
  }

  /// What is said to a command.
  interface Script {
    Document answer(Call call);
  }

  /// The documents of an answer that has a cursor.
  static List<Document> batch(Document answer) {
    return answer.get("cursor") instanceof Document cursor
            && cursor.get("firstBatch") instanceof Collection<?> batch
        ? batch.stream().map(Document.class::cast).toList()
        : List.of();
  }

  private final Script script;

  ScriptedMongoBackend(Script script) {
    this.script = script;
  }

  /// Only the driver's handshake comes another way.
  @Override
  public Document handleMessage(MongoMessage message) {
    Document query = message.getDocument();
    return script.answer(
        new Call() {
          @Override
          public String name() {
            return query.keySet().iterator().next();
          }

          @Override
          public Document query() {
            return query;
          }

          @Override
          public Document forward(Document other) {
            String first = other.keySet().iterator().next();
            return handleCommand(message.getChannel(), message.getDatabaseName(), first, other);
          }
        });
  }
}
