package keyfleet.mongodb;

import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import java.util.Collection;
import java.util.List;

/// `mongo-java-server` with a script that answers commands in its place, or changes its responses.
final class ScriptedMongoBackend extends MemoryBackend {
  /// A command, and the server to which it can be forwarded.
  interface Call {
    String name();

    Document query();

    /// Forwards this command and returns the server's response.
    default Document forward() {
      return forward(query());
    }

    /// Forwards another command to the same database and returns the server's response.
    Document forward(Document query);
  }

  /// Returns the response to a command.
  interface Script {
    Document answer(Call call);
  }

  /// The documents of a response with a cursor.
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

  /// All commands arrive here, except the driver's handshake.
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
