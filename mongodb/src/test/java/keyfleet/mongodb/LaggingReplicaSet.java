package keyfleet.mongodb;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import io.netty.channel.Channel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// A replica set of two servers in this process. The secondary answers with the documents that the
/// primary had at the last [#replicate], and refuses writes.
public final class LaggingReplicaSet implements AutoCloseable {
  private static final Set<String> WRITES =
      Set.of("insert", "update", "delete", "findandmodify", "create", "createindexes", "drop");

  private final Member primaryMember = new Member(true);
  private final Member secondaryMember = new Member(false);
  private final MongoServer primary = MongoTestServers.start(primaryMember);
  private final MongoServer secondary = MongoTestServers.start(secondaryMember);
  private final Duration lag;
  private volatile boolean isReplicating;

  /// @param lag how far the secondary says that it lags
  public LaggingReplicaSet(Duration lag) {
    this.lag = lag;
  }

  /// `127.0.0.1:PORT` of the primary.
  String primaryHost() {
    return MongoTestServers.hostOf(primary);
  }

  String secondaryHost() {
    return MongoTestServers.hostOf(secondary);
  }

  /// Both members, and the set's name.
  public String url(String parameters) {
    return "mongodb://%s,%s/fleet?replicaSet=rs0%s"
        .formatted(primaryHost(), secondaryHost(), parameters);
  }

  /// The commands of this name that the secondary has answered.
  List<Document> answeredBySecondary(String command) {
    synchronized (secondaryMember.answered) {
      return secondaryMember.answered.stream().filter(it -> it.containsKey(command)).toList();
    }
  }

  /// Copies the primary's documents to the secondary.
  public void replicate() {
    isReplicating = true;
    try (MongoClient from = connect(primaryHost());
        MongoClient to = connect(secondaryHost())) {
      MongoDatabase source = from.getDatabase("fleet");
      for (String name : source.listCollectionNames()) {
        MongoCollection<org.bson.Document> copy = to.getDatabase("fleet").getCollection(name);
        copy.deleteMany(new org.bson.Document());
        List<org.bson.Document> documents =
            source.getCollection(name).find().into(new ArrayList<>());
        if (!documents.isEmpty()) {
          copy.insertMany(documents);
        }
      }
    } finally {
      isReplicating = false;
    }
  }

  private static MongoClient connect(String host) {
    return MongoClients.create("mongodb://" + host + "/?directConnection=true");
  }

  @Override
  public void close() {
    primary.shutdownNow();
    secondary.shutdownNow();
  }

  private final class Member extends MemoryBackend {
    private final boolean isPrimary;
    private final List<Document> answered = Collections.synchronizedList(new ArrayList<>());

    Member(boolean isPrimary) {
      this.isPrimary = isPrimary;
    }

    /// The driver's handshake arrives only here.
    @Override
    public Document handleCommand(
        Channel channel, String databaseName, String command, Document query) {
      Document answer = super.handleCommand(channel, databaseName, command, query);
      if (answer.containsKey("ismaster")) {
        describeMember(answer);
      }
      return answer;
    }

    @Override
    public Document handleMessage(MongoMessage message) {
      String command = message.getDocument().keySet().iterator().next();
      if (!isPrimary && !isReplicating) {
        if (WRITES.contains(command.toLowerCase(Locale.ROOT))) {
          throw new MongoServerError(10_107, "NotWritablePrimary", "not primary");
        }
        answered.add(message.getDocument());
      }
      return super.handleMessage(message);
    }

    private void describeMember(Document hello) {
      Instant lastWrite = isPrimary ? Instant.now() : Instant.now().minus(lag);
      hello
          .append("ismaster", isPrimary)
          .append("secondary", !isPrimary)
          .append("setName", "rs0")
          .append("setVersion", 1)
          .append("hosts", List.of(primaryHost(), secondaryHost()))
          .append("primary", primaryHost())
          .append("me", isPrimary ? primaryHost() : secondaryHost())
          .append("lastWrite", new Document("lastWriteDate", lastWrite));
    }
  }
}
