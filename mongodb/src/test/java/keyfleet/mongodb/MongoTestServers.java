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
    return realServer()
        .map(_ -> databaseOn(System.getenv("KEYFLEET_TEST_MONGODB")))
        .orElseGet(() -> databaseOn(SHARED));
  }

  static TestDatabase databaseOn(MongoServer server) {
    return databaseOn("mongodb://" + hostOf(server));
  }

  /// A new database on the server or replica set of a URL.
  static TestDatabase databaseOn(String url) {
    return new TestDatabase(StoreUrl.parse(url), url, MongoClients.create(withDatabase(url, "")));
  }

  /// The URL with another database.
  private static String withDatabase(String url, String database) {
    int query = url.indexOf('?');
    String address = query < 0 ? url : url.substring(0, query);
    String parameters = query < 0 ? "" : url.substring(query);
    int path = address.indexOf('/', "mongodb://".length());
    return (path < 0 ? address : address.substring(0, path)) + "/" + database + parameters;
  }

  /// A database with a unique name, dropped at the end.
  public record TestDatabase(StoreUrl server, String text, String name, MongoClient raw)
      implements AutoCloseable {
    TestDatabase(StoreUrl server, String text, MongoClient raw) {
      this(server, text, "keyfleet_" + new ObjectId(), raw);
    }

    public StoreUrl url() {
      return StoreUrl.parse(withDatabase(text, name));
    }

    /// A proxy to the server that takes writes: the primary of a replica set.
    FaultProxy startProxy() {
      String host = primary();
      int colon = host.lastIndexOf(':');
      return colon < 0
          ? new FaultProxy(host, DEFAULT_PORT)
          : new FaultProxy(host.substring(0, colon), Integer.parseInt(host.substring(colon + 1)));
    }

    private String primary() {
      Document hello = raw.getDatabase("admin").runCommand(new Document("isMaster", 1));
      String primary = hello.getString("primary");
      return primary == null ? server.hosts().getFirst() : primary;
    }

    /// Names the proxy alone and no replica set: the driver of a set would ask it for the addresses
    /// of its members, and connect to them without the proxy.
    StoreUrl urlThrough(FaultProxy proxy) {
      String through =
          withDatabase(text, name)
              .replace(String.join(",", server.hosts()), proxy.address())
              .replaceAll("(?<=[?&])(replicaSet|readPreference)=[^&]*&?", "")
              .replaceAll("[?&]$", "");
      return StoreUrl.parse(through);
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
