package keyfleet.mongodb;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import de.bwaldvogel.mongo.MongoBackend;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.ServerVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Consumer;
import keyfleet.store.FaultProxy;
import keyfleet.store.engine.StoreUrl;
import org.bson.Document;
import org.bson.types.ObjectId;

/// The servers for tests: `mongo-java-server` in this process, or the real server that
/// `KEYFLEET_TEST_MONGODB` names.
public final class MongoTestServers {
  private static final int DEFAULT_PORT = 27_017;
  private static final MongoServer SHARED = start(new MemoryBackend());

  private MongoTestServers() {}

  /// The URL of the real server, without database.
  static Optional<StoreUrl> realServer() {
    return Optional.ofNullable(System.getenv("KEYFLEET_TEST_MONGODB")).map(StoreUrl::parse);
  }

  static MongoServer shared() {
    return SHARED;
  }

  static MongoServer start(MongoBackend backend) {
    return start(backend, _ -> {});
  }

  static MongoServer start(MongoBackend backend, Consumer<MongoServer> prepare) {
    backend.version(ServerVersion.MONGO_5_0);
    MongoServer server = new MongoServer(backend);
    prepare.accept(server);
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return server;
  }

  static String hostOf(MongoServer server) {
    return "127.0.0.1:" + server.getLocalAddress().getPort();
  }

  /// A new database on the server of this test run.
  public static TestDatabase database() {
    return realServer().map(MongoTestServers::databaseOn).orElseGet(() -> databaseOn(SHARED));
  }

  static TestDatabase databaseOn(MongoServer server) {
    return new TestDatabase("mongodb://" + hostOf(server) + "/", hostOf(server), "");
  }

  private static TestDatabase databaseOn(StoreUrl real) {
    String text = System.getenv("KEYFLEET_TEST_MONGODB");
    int query = text.indexOf('?');
    String address = query < 0 ? text : text.substring(0, query);
    String params = query < 0 ? "" : text.substring(query);
    int path = address.indexOf('/', "mongodb://".length());
    String server = path < 0 ? address + "/" : address.substring(0, path + 1);
    return new TestDatabase(server, real.hosts().getFirst(), params);
  }

  /// A database with a unique name, dropped at the end.
  public record TestDatabase(
      String server, String host, String params, String name, MongoClient raw)
      implements AutoCloseable {
    TestDatabase(String server, String host, String params) {
      this(
          server, host, params, "keyfleet_" + new ObjectId(), MongoClients.create(server + params));
    }

    public StoreUrl url() {
      return StoreUrl.parse(server + name + params);
    }

    FaultProxy startProxy() {
      int colon = host.lastIndexOf(':');
      return colon < 0
          ? new FaultProxy(host, DEFAULT_PORT)
          : new FaultProxy(host.substring(0, colon), Integer.parseInt(host.substring(colon + 1)));
    }

    StoreUrl urlThrough(FaultProxy proxy) {
      return StoreUrl.parse(server.replace(host, proxy.address()) + name + params);
    }

    public MongoCollection<Document> collection(String collection) {
      return raw.getDatabase(name).getCollection(collection);
    }

    @Override
    public void close() {
      raw.getDatabase(name).drop();
      raw.close();
    }
  }
}
