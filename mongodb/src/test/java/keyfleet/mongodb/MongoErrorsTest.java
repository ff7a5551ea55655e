package keyfleet.mongodb;

import static keyfleet.store.StoreFixtures.THINGS;
import static keyfleet.store.StoreFixtures.assertWritten;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoSocketOpenException;
import com.mongodb.MongoSocketReadException;
import com.mongodb.MongoSocketReadTimeoutException;
import com.mongodb.MongoSocketWriteException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.MongoWriteConcernException;
import com.mongodb.MongoWriteException;
import com.mongodb.ServerAddress;
import com.mongodb.WriteError;
import com.mongodb.bulk.WriteConcernError;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import keyfleet.store.ConditionalWrite;
import keyfleet.store.Entry;
import keyfleet.store.FaultProxy;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Revision;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.Unknown;
import keyfleet.store.Value;
import keyfleet.store.WriteOutcome.Applied;
import keyfleet.store.WriteResult.Written;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Failed calls: their results, and that no acknowledged write is lost.
final class MongoErrorsTest {
  private static final int CUTS = 20;
  private static final Key A = new Key("a");
  private static final ServerAddress HOST = new ServerAddress();

  record Row(MongoException thrown, boolean isNotApplied) {}

  static List<Row> rows() {
    IOException cause = new IOException();
    return List.of(
        new Row(new MongoTimeoutException("no server"), true),
        new Row(new MongoSocketOpenException("not connected", HOST, cause), true),
        new Row(commandException("{ok: 0, code: 10107}"), true),
        new Row(commandException("{ok: 0, code: 13}"), true),
        new Row(commandException("{ok: 0, code: 11000}"), true),
        new Row(commandException("{ok: 0, code: 115}"), true),
        new Row(commandException("{ok: 0, code: 238}"), true),
        new Row(
            new MongoNotPrimaryException(BsonDocument.parse("{ok: 0, code: 10107}"), HOST), true),
        // The same class, thrown because no majority was reached: it has the inner response.
        new Row(new MongoNotPrimaryException(BsonDocument.parse("{code: 10107}"), HOST), false),
        new Row(commandException("{ok: 0, code: 11602}"), false),
        new Row(commandException("{ok: 0, code: 50}"), false),
        new Row(commandException("{ok: 0, code: 8}"), false),
        new Row(new MongoSocketWriteException("cut", HOST, cause), false),
        new Row(new MongoSocketReadException("cut", HOST, cause), false),
        new Row(new MongoSocketReadTimeoutException("late", HOST, cause), false),
        new Row(new MongoInterruptedException("interrupted", new InterruptedException()), false),
        new Row(
            new MongoWriteConcernException(
                new WriteConcernError(64, "", "late", new BsonDocument()), null, HOST, Set.of()),
            false));
  }

  private static MongoException commandException(String answer) {
    return new MongoCommandException(BsonDocument.parse(answer), HOST);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void failedWrite_isUnknownUnlessProvedNotApplied(Row row) {
    assertEquals(row.isNotApplied(), MongoErrors.isNotApplied(row.thrown()));
  }

  @Test
  void permanentRefusal_isARefusal() {
    StoreException refused =
        MongoErrors.toStoreException(
            new MongoCommandException(
                BsonDocument.parse("{ok: 0, code: 115, codeName: 'CommandNotSupported'}"), HOST));
    assertInstanceOf(StoreRefusedException.class, refused);
    assertEquals(
        "this server cannot do what Keyfleet needs: it answers CommandNotSupported",
        refused.getMessage());
  }

  @Test
  void writeError_isNotAFailedConnection() {
    StoreException failed =
        MongoErrors.toStoreException(
            new MongoWriteException(
                new WriteError(112, "write conflict", new BsonDocument()), HOST, Set.of()));
    assertEquals("MongoDB refused the write: error 112", failed.getMessage());
  }

  @Test
  void writeWhoseAnswerIsLost_isUnknownAndFoundByItsNonce() {
    try (CuttableStore store = new CuttableStore()) {
      Kv kv = store.engine.kv();
      Revision first = assertWritten(kv.put(THINGS, A, Value.of("one")));
      var update = new ConditionalWrite.Update(THINGS, A, Value.of("nonce"), first);
      store.proxy.cutAtNextReply();
      assertEquals(new Unknown(), update.send(kv));
      Applied applied = assertInstanceOf(Applied.class, update.readOutcome(kv));
      assertTrue(applied.revision().compareTo(first) > 0);
    }
  }

  @Test
  void readWhoseAnswerIsLost_throwsAndTheNextOneWorks() {
    try (CuttableStore store = new CuttableStore()) {
      Kv kv = store.engine.kv();
      assertWritten(kv.put(THINGS, A, Value.of("one")));
      store.proxy.cutAtNextReply();
      assertThrows(StoreException.class, () -> kv.get(THINGS, A));
      assertEquals("one", kv.get(THINGS, A).orElseThrow().value().text());
    }
  }

  /// The connection is cut repeatedly while a writer continues.
  @Test
  void connectionCutAgainAndAgain_losesNothingAcknowledged() throws InterruptedException {
    try (CuttableStore store = new CuttableStore()) {
      Kv kv = store.engine.kv();
      AtomicReference<String> acknowledged = new AtomicReference<>("");
      Thread writer =
          Thread.ofVirtual()
              .start(() -> {
                for (int i = 0; !Thread.interrupted(); i++) {
                  put(kv, "value " + i, acknowledged);
                }
              });
      for (int i = 0; i < CUTS; i++) {
        String before = acknowledged.get();
        while (acknowledged.get().equals(before)) {
          Thread.onSpinWait();
        }
        store.proxy.cutAtNextReply();
      }
      writer.interrupt();
      writer.join();
      int last = number(acknowledged.get());
      try (MongoEngine direct = MongoEngine.open(store.database.url())) {
        int found = number(direct.kv().get(THINGS, A).orElseThrow().value().text());
        assertTrue(found >= last, "acknowledged " + last + ", found " + found);
      }
    }
  }

  private static void put(Kv kv, String text, AtomicReference<String> acknowledged) {
    try {
      if (kv.put(THINGS, A, Value.of(text)) instanceof Written) {
        acknowledged.set(text);
      }
    } catch (StoreException e) {
      // Certainly not applied; the writer tries the next value.
    }
  }

  private static int number(String text) {
    return Integer.parseInt(text.substring("value ".length()));
  }

  @Test
  void serverThatWasDown_isUsedAgain() {
    try (CuttableStore store = new CuttableStore()) {
      Kv kv = store.engine.kv();
      assertWritten(kv.put(THINGS, A, Value.of("one")));
      store.proxy.cut();
      // The first call finds its connection closed, the second finds no server.
      assertThrows(StoreException.class, () -> kv.get(THINGS, A));
      StoreException unavailable =
          assertThrows(StoreException.class, () -> kv.put(THINGS, A, Value.of("two")));
      assertEquals("no primary of MongoDB answers", unavailable.getMessage());
      store.proxy.restore();
      assertEquals("one", kv.get(THINGS, A).orElseThrow().value().text());
      assertWritten(kv.put(THINGS, A, Value.of("two")));
    }
  }

  @Test
  void majorityNotReached_isUnknown() {
    MongoServer server =
        MongoTestServers.start(
            new ScriptedMongoBackend(call ->
                isWriteTo("things", call)
                    ? call.forward()
                        .append(
                            "writeConcernError",
                            new Document("code", 64).append("errmsg", "waited too long"))
                    : call.forward()));
    try (MongoTestServers.TestDatabase database = MongoTestServers.databaseOn(server);
        MongoEngine engine = MongoEngine.open(database.url())) {
      assertEquals(new Unknown(), engine.kv().put(THINGS, A, Value.of("one")));
    } finally {
      server.shutdownNow();
    }
  }

  @Test
  void primaryThatStepsDown_isUnknownOnlyAfterTheWrite() {
    AtomicReference<Optional<Document>> scripted = new AtomicReference<>(Optional.empty());
    MongoServer server =
        MongoTestServers.start(
            new ScriptedMongoBackend(call -> {
              Optional<Document> instead = scripted.get();
              return instead.isPresent() && isWriteTo("things", call)
                  ? instead.get()
                  : call.forward();
            }));
    try (MongoTestServers.TestDatabase database = MongoTestServers.databaseOn(server);
        MongoEngine engine = MongoEngine.open(database.url())) {
      Revision first = assertWritten(engine.kv().put(THINGS, A, Value.of("one")));
      scripted.set(Optional.of(error(10_107)));
      assertThrows(
          StoreException.class, () -> engine.kv().update(THINGS, A, Value.of("two"), first));
      scripted.set(Optional.of(error(11_602)));
      assertEquals(new Unknown(), engine.kv().update(THINGS, A, Value.of("two"), first));
      scripted.set(Optional.empty());
      assertEquals(Optional.of(first), engine.kv().get(THINGS, A).map(Entry::revision));
    } finally {
      server.shutdownNow();
    }
  }

  @Test
  void unauthorizedCommand_isRefusedWithTheRemedy() {
    MongoServer server =
        MongoTestServers.start(
            new ScriptedMongoBackend(call -> {
              if (call.name().equals("createIndexes")) {
                throw new MongoServerError(13, "Unauthorized", "not authorized on x to y");
              }
              return call.forward();
            }));
    try (MongoTestServers.TestDatabase database = MongoTestServers.databaseOn(server);
        MongoEngine engine = MongoEngine.open(database.url())) {
      StoreException refused = assertThrows(StoreException.class, () -> engine.kv().get(THINGS, A));
      assertEquals("MongoDB does not let the store's user do this", refused.getMessage());
    } finally {
      server.shutdownNow();
    }
  }

  private static boolean isWriteTo(String collection, ScriptedMongoBackend.Call call) {
    return call.name().equals("findAndModify")
        && collection.equals(call.query().get("findAndModify"));
  }

  private static Document error(int code) {
    return new Document("ok", 0).append("code", code).append("errmsg", "stepping down");
  }

  /// A store behind a connection that can be cut.
  private static final class CuttableStore implements AutoCloseable {
    private final MongoTestServers.TestDatabase database = MongoTestServers.database();
    private final FaultProxy proxy = database.startProxy();
    private final MongoEngine engine = MongoEngine.open(database.urlThrough(proxy));

    @Override
    public void close() {
      engine.close();
      proxy.close();
      database.close();
    }
  }
}
