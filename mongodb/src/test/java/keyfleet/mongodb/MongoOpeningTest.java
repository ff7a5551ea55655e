package keyfleet.mongodb;

import static keyfleet.store.StoreFixtures.THINGS;
import static keyfleet.store.StoreFixtures.assertWritten;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import java.io.IOException;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import keyfleet.store.CollectionShape;
import keyfleet.store.Key;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.Value;
import keyfleet.store.engine.StoreCheck;
import keyfleet.store.engine.StoreCheck.Level;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Opening a store: what the engine refuses, with which message, and its checks of the rest.
final class MongoOpeningTest {
  private static final Key A = new Key("a");

  @Test
  void hostWithoutServer_isRetryable() throws IOException {
    int free;
    try (ServerSocket socket = new ServerSocket(0)) {
      free = socket.getLocalPort();
    }
    StoreUrl url = StoreUrl.parse("mongodb://me:secret@127.0.0.1:" + free + "/x");
    StoreException unavailable = assertThrows(StoreException.class, () -> MongoEngine.open(url));
    assertFalse(unavailable instanceof StoreRefusedException);
    assertEquals(
        "no primary of MongoDB answers at mongodb://me@127.0.0.1:%d/x".formatted(free),
        unavailable.getMessage());
    assertNoSecret(unavailable);
  }

  @Test
  void wrongPassword_isRefusedAndNotRepeated(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("password"), "secret\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    try (ScriptedServer server = new ScriptedServer(MongoOpeningTest::refuseAuthentication)) {
      for (String address :
          List.of(
              "mongodb://me:secret@" + server.host() + "/x",
              "mongodb://me@" + server.host() + "/x?authSource=x&password-file=" + file)) {
        StoreRefusedException refused =
            assertThrows(
                StoreRefusedException.class, () -> MongoEngine.open(StoreUrl.parse(address)));
        assertEquals(
            "MongoDB does not accept the user or the password of the store's URL",
            refused.getMessage());
        assertNoSecret(refused);
      }
      assertTrue(server.received("saslStart").stream().anyMatch(it -> "x".equals(it.get("$db"))));
    }
  }

  @Test
  void passwordFileThatOthersMayRead_isRefused(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("password"), "secret\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    StoreRefusedException refused =
        assertThrows(
            StoreRefusedException.class,
            () -> MongoEngine.open(StoreUrl.parse("mongodb://me@h/x?password-file=" + file)));
    assertTrue(refused.getMessage().contains("has mode rw-r--r--"), refused::getMessage);
    assertNoSecret(refused);
  }

  private static Document refuseAuthentication(ScriptedMongoBackend.Call call) {
    if (call.name().equals("saslStart")) {
      throw new MongoServerError(18, "AuthenticationFailed", "Authentication failed.");
    }
    return call.forward();
  }

  private static void assertNoSecret(Exception e) {
    StringWriter trace = new StringWriter();
    for (Throwable each = e; each != null; each = each.getCause()) {
      trace.append(String.valueOf(each.getMessage()));
    }
    assertFalse(trace.toString().contains("secret"), trace::toString);
  }

  static List<Arguments> ferretVersions() {
    Document separate =
        new Document("ferretdbFeatures", new Document("aggregation", true))
            .append("ferretdbVersion", "v1.5.0");
    return List.of(
        Arguments.of(
            new Document("ferretdb", new Document("version", "v1.24.0")),
            "FerretDB 1.24.0 loses acknowledged writes: of 615 compare-and-sets that it acknowledged"
                + " to 8 writers, it kept 167 (measured on 1.24)"),
        Arguments.of(
            separate,
            "FerretDB 1.5.0 loses acknowledged writes: of 615 compare-and-sets that it acknowledged"
                + " to 8 writers, it kept 167 (measured on 1.24)"),
        Arguments.of(
            new Document("ferretdb", new Document("version", "v2.7.0")),
            "FerretDB 2.7.0 loses acknowledged writes: of 300 raced upserts that it acknowledged, it"
                + " lost 295 (measured on 2.7)"),
        Arguments.of(
            new Document("ferretdb", new Document("version", "v3.0.1")),
            "FerretDB 3.0.1 was not measured, and FerretDB 2 loses acknowledged writes: of 300 raced"
                + " upserts that it acknowledged, it lost 295 (measured on 2.7)"));
  }

  @ParameterizedTest
  @MethodSource("ferretVersions")
  void ferretDb_isRefusedWithItsVersionAndTheMeasurementOfItsLine(
      Document buildInfo, String sentence) {
    UnaryOperator<Document> ferret =
        it -> {
          it.putAll(buildInfo);
          return it;
        };
    try (ScriptedServer server =
        new ScriptedServer(call -> changeAnswer("buildInfo", ferret, call))) {
      StoreRefusedException refused =
          assertThrows(StoreRefusedException.class, () -> MongoEngine.open(server.url()));
      assertEquals(sentence, refused.getMessage());
    }
  }

  @Test
  void secondary_isRefused() {
    UnaryOperator<Document> secondary =
        it -> asReplicaSet(it).append("ismaster", false).append("secondary", true);
    try (ScriptedServer server =
        new ScriptedServer(call -> changeAnswer("isMaster", secondary, call))) {
      StoreRefusedException refused =
          assertThrows(StoreRefusedException.class, () -> MongoEngine.open(server.url()));
      assertTrue(refused.getMessage().contains("not the primary"), refused::getMessage);
      assertTrue(refused.remedy().contains("replicaSet=rs0"), refused::remedy);
    }
  }

  @Test
  void replicaSet_usesLinearizableReadsAndMajorityWrites() {
    try (ScriptedServer server =
        new ScriptedServer(
            call -> changeAnswer("isMaster", MongoOpeningTest::asReplicaSet, call))) {
      try (MongoEngine engine = MongoEngine.open(server.url())) {
        assertWritten(engine.kv().put(THINGS, A, Value.of("one")));
        assertTrue(engine.kv().get(THINGS, A).isPresent());
        assertEquals(
            List.of(Level.OK, Level.OK, Level.WARN, Level.WARN, Level.WARN), levels(engine));
      }
      List<Document> reads =
          server.received("find").stream().filter(it -> isOf("things", "find", it)).toList();
      assertFalse(reads.isEmpty());
      reads.forEach(
          it -> assertEquals(new Document("level", "linearizable"), it.get("readConcern")));
      List<Document> writes = server.received("findAndModify");
      assertFalse(writes.isEmpty());
      for (Document write : writes) {
        Document majority =
            new Document("w", "majority")
                .append("wtimeout", (int) MongoSettings.SERVER_LIMIT.toMillis())
                .append("j", true);
        assertEquals(majority, write.get("writeConcern"));
      }
    }
  }

  /// A repeated message would find the change already applied and return a conflict.
  @Test
  void driver_sendsNoWriteTwice() {
    assertFalse(MongoSettings.of(StoreUrl.parse("mongodb://h/x")).build().getRetryWrites());
  }

  @Test
  void standaloneServer_isUsedWithWarnings() {
    try (MongoTestServers.TestDatabase database =
            MongoTestServers.databaseOn(MongoTestServers.shared());
        MongoEngine engine = MongoEngine.open(database.url())) {
      assertEquals(List.of(Level.WARN, Level.OK, Level.WARN, Level.WARN), levels(engine));
      for (StoreCheck check : engine.storeChecks()) {
        assertEquals(check.level() == Level.OK, check.remedy().isEmpty(), check::toString);
      }
    }
  }

  @Test
  void schemaOfAnotherVersion_isRefused() {
    try (MongoTestServers.TestDatabase database = MongoTestServers.database()) {
      MongoEngine.open(database.url()).close();
      MongoEngine.open(database.url()).close();
      database
          .collection("keyfleet.schema")
          .updateOne(
              new org.bson.Document("_id", "schema"),
              new org.bson.Document("$set", new org.bson.Document("version", 3)));
      StoreRefusedException refused =
          assertThrows(StoreRefusedException.class, () -> MongoEngine.open(database.url()));
      assertTrue(refused.getMessage().contains("schema 3"), refused::getMessage);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mongodb://h/x?tsl=true",
        "mongodb://h/x?tls=yes",
        "mongodb://h/x?tlsCAFile=ca.pem",
        "mongodb://h/x?tls=true&tlsCAFile=nowhere.pem",
        "mongodb://me@h/x?password-file=nowhere",
        "mongodb://h:port/x",
      })
  void unreadableUrl_isRefusedBeforeAnyConnection(String url) {
    assertThrows(StoreRefusedException.class, () -> MongoEngine.open(StoreUrl.parse(url)));
  }

  @Test
  void collectionOfAnApplication_isNoBucket() {
    try (MongoTestServers.TestDatabase database = MongoTestServers.database();
        MongoEngine engine = MongoEngine.open(database.url())) {
      database.collection("things").insertOne(new org.bson.Document("_id", "theirs"));
      StoreRefusedException refused =
          assertThrows(StoreRefusedException.class, () -> engine.kv().get(THINGS, A));
      assertTrue(refused.getMessage().contains("things"), refused::getMessage);
    }
  }

  @Test
  void bucket_isNoCollectionOfAnApplication() {
    try (MongoTestServers.TestDatabase database = MongoTestServers.database();
        MongoEngine engine = MongoEngine.open(database.url())) {
      assertWritten(engine.kv().put(THINGS, A, Value.of("one")));
      CollectionShape shape = new CollectionShape("things", "_id", new TreeSet<>(List.of("value")));
      assertThrows(StoreRefusedException.class, () -> engine.records(shape));
    }
  }

  private static List<Level> levels(MongoEngine engine) {
    return engine.storeChecks().stream().map(StoreCheck::level).toList();
  }

  private static boolean isOf(String collection, String command, Document query) {
    return collection.equals(query.get(command));
  }

  private static Document asReplicaSet(Document hello) {
    return hello.append("setName", "rs0").append("setVersion", 1).append("hosts", List.of());
  }

  private static Document changeAnswer(
      String command, UnaryOperator<Document> change, ScriptedMongoBackend.Call call) {
    return call.name().equalsIgnoreCase(command) ? change.apply(call.forward()) : call.forward();
  }

  /// A server with a script, and the commands that it received.
  private static final class ScriptedServer implements AutoCloseable {
    private final List<Document> received = Collections.synchronizedList(new ArrayList<>());
    private final MongoServer server;

    ScriptedServer(ScriptedMongoBackend.Script script) {
      this.server =
          MongoTestServers.start(
              new ScriptedMongoBackend(call -> {
                received.add(call.query());
                return script.answer(call);
              }));
    }

    String host() {
      return MongoTestServers.hostOf(server);
    }

    StoreUrl url() {
      return StoreUrl.parse("mongodb://" + host() + "/x");
    }

    List<Document> received(String command) {
      synchronized (received) {
        return received.stream().filter(it -> it.containsKey(command)).toList();
      }
    }

    @Override
    public void close() {
      server.shutdownNow();
    }
  }
}
