package keyfleet.mongodb;

import static keyfleet.mongodb.MongoFixtures.field;
import static keyfleet.store.StoreFixtures.fence;
import static keyfleet.store.StoreFixtures.fields;
import static keyfleet.store.StoreFixtures.record;
import static keyfleet.store.StoreFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.mongodb.MongoWriteException;
import com.mongodb.client.MongoCollection;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.exception.MongoServerError;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import keyfleet.store.Conflict;
import keyfleet.store.Fence;
import keyfleet.store.FenceResult.Raised;
import keyfleet.store.FenceResult.Refused;
import keyfleet.store.FenceResult.Unenforced;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordWriteResult.Fenced;
import keyfleet.store.RecordWriteResult.Stored;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.StoredRecord;
import keyfleet.store.engine.StoreCheck.Level;
import org.bson.Document;
import org.junit.jupiter.api.Test;

/// Fences against writers that know nothing of Keyfleet: they write with the driver.
final class MongoRawWriterFenceTest {
  private static final Fence NEW_ONLY = fence(5, 2);
  private static final MongoServer ENFORCING = MongoTestServers.start(new ValidatingMongoBackend());
  private static final MongoServer LAX = MongoTestServers.start(new MemoryBackend());

  private static MongoRecordsFixture enforcingFixture() {
    return new MongoRecordsFixture(
        MongoTestServers.realServer().isPresent()
            ? MongoTestServers.database()
            : MongoTestServers.databaseOn(ENFORCING));
  }

  /// Such a server does not enforce the rule, and a rotation must not wait for it.
  @Test
  void probeThatEndsInAnotherError_countsAsUnenforced() {
    MongoServer server =
        MongoTestServers.start(
            new ScriptedMongoBackend(call -> {
              String collection = String.valueOf(call.query().get(call.name()));
              if (call.name().equals("insert") && collection.startsWith("keyfleet.scratch.")) {
                throw new MongoServerError(115, "CommandNotSupported", "not supported");
              }
              return call.name().equals("collMod")
                  ? new de.bwaldvogel.mongo.bson.Document("ok", 1.0)
                  : call.forward();
            }));
    try (MongoRecordsFixture fixture =
        new MongoRecordsFixture(MongoTestServers.databaseOn(server))) {
      assertEquals(new Unenforced(), fixture.records().fence(NEW_ONLY));
      assertEquals(Optional.of(NEW_ONLY), fixture.records().fence());
    } finally {
      server.shutdownNow();
    }
  }

  /// It enforces validators, but a write that began before a fence would land after it.
  @Test
  void serverWithoutBarrier_countsAsUnenforced() {
    MongoServer server = MongoTestServers.start(new LateWriteMongoBackend());
    try (MongoRecordsFixture fixture =
        new MongoRecordsFixture(MongoTestServers.databaseOn(server))) {
      assertEquals(new Unenforced(), fixture.records().fence(NEW_ONLY));
      assertTrue(
          fixture.engine.storeChecks().stream()
              .anyMatch(it ->
                  it.level() == Level.WARN
                      && it.sentence().startsWith("this server lets writes land after")),
          () -> fixture.engine.storeChecks().toString());
    } finally {
      server.shutdownNow();
    }
  }

  @Test
  void serverWithBarrier_passesTheProbe() {
    try (MongoRecordsFixture fixture = enforcingFixture()) {
      assertEquals(new Raised(), fixture.records().fence(NEW_ONLY));
    }
  }

  @Test
  void serverWithoutValidators_storesTheFenceAndReportsItUnenforced() {
    try (MongoRecordsFixture fixture = new MongoRecordsFixture(MongoTestServers.databaseOn(LAX))) {
      assertEquals(new Unenforced(), fixture.records().fence(NEW_ONLY));
      assertEquals(Optional.of(NEW_ONLY), fixture.records().fence());
      assertEquals(new Refused(NEW_ONLY), fixture.records().fence(fence(4, 1)));
      assertEquals(new Unenforced(), fixture.records().fence(fence(6, 3)));
      assertTrue(
          fixture.engine.storeChecks().stream()
              .anyMatch(it -> it.level() == Level.WARN && it.sentence().contains("unfenced")),
          () -> fixture.engine.storeChecks().toString());
      // Without enforcement, a writer that uses the driver directly is not refused.
      customers(fixture).insertOne(new Document("_id", "a").append("f0", field(1, 1)));
      assertEquals(Map.of(v(1), 1L), fixture.records().census().carrying());
    }
  }

  /// All threads raise the first fence of a collection; the fence of the highest term must stay.
  @Test
  void concurrentRaises_leaveTheHighestTerm() throws InterruptedException {
    try (MongoRecordsFixture fixture = enforcingFixture()) {
      List<Thread> raisers = new ArrayList<>();
      for (int epoch = 1; epoch <= 8; epoch++) {
        Fence fence = fence(epoch, 1 + epoch % 4);
        raisers.add(Thread.ofVirtual().start(() -> fixture.records().fence(fence)));
      }
      for (Thread raiser : raisers) {
        raiser.join();
      }
      Fence highest = fence(8, 1);
      assertEquals(Optional.of(highest), fixture.records().fence());
      fixture.records().census();
      assertRefused(() -> customers(fixture).insertOne(document("a", field(2, 2))));
      customers(fixture).insertOne(document("a", field(1, 1)));
    }
  }

  @Test
  void rawWriterOfAnOldVersion_isRefused() {
    try (MongoRecordsFixture fixture = enforcingFixture()) {
      raise(fixture, NEW_ONLY);
      assertRefused(() -> customers(fixture).insertOne(document("a", field(1, 1))));
      assertRefused(() -> customers(fixture).insertOne(document("a", "not sealed at all")));
      assertRefused(
          () -> customers(fixture).insertOne(document("a", List.of(field(2, 2), field(1, 1)))));
      customers(fixture).insertOne(document("a", field(2, 2)));
      Document back = new Document("$set", new Document("f0", field(1, 1)));
      assertRefused(() -> customers(fixture).updateOne(new Document("_id", "a"), back));
      assertEquals(Map.of(v(2), 1L), fixture.records().census().carrying());
    }
  }

  @Test
  void unrelatedFieldOfAnOldRecord_canBeWritten() {
    try (MongoRecordsFixture fixture = enforcingFixture()) {
      customers(fixture).insertOne(document("a", field(1, 1)));
      raise(fixture, NEW_ONLY);
      Document move = new Document("$set", new Document("address", "elsewhere"));
      assertEquals(
          1, customers(fixture).updateOne(new Document("_id", "a"), move).getModifiedCount());
    }
  }

  @Test
  void applicationValidator_staysInForceBesideTheFence() {
    try (MongoRecordsFixture fixture = enforcingFixture()) {
      Document own = new Document("age", new Document("$gte", 0));
      setValidator(fixture, own);
      raise(fixture, NEW_ONLY);
      raise(fixture, fence(6, 2, 3));
      assertRefused(
          () -> customers(fixture).insertOne(document("a", field(2, 2)).append("age", -1)));
      assertRefused(
          () -> customers(fixture).insertOne(document("a", field(1, 1)).append("age", 7)));
      customers(fixture).insertOne(document("a", field(3, 3)).append("age", 7));
      assertEquals(
          List.of(2, own),
          List.of(rules(fixture).size(), rules(fixture).getLast()),
          "the second fence is not nested in the first");
      // A refusal by the application's rule is not reported as a refusal by the fence.
      assertThrows(
          StoreRefusedException.class, () -> fixture.records().insert(record("without age", 2)));
    }
  }

  @Test
  void fenceReplacedByTheApplication_isReinstalledByTheNextCensus() {
    try (MongoRecordsFixture fixture = enforcingFixture()) {
      raise(fixture, NEW_ONLY);
      setValidator(fixture, new Document());
      customers(fixture).insertOne(document("a", field(1, 1)));
      assertEquals(Map.of(v(1), 1L), fixture.records().census().carrying());
      assertRefused(() -> customers(fixture).insertOne(document("b", field(1, 1))));
    }
  }

  /// A validator cannot see a document's earlier state; this engine can.
  @Test
  void changeToAnotherOldVersion_isRefusedByTheEngine() {
    try (MongoRecordsFixture fixture = enforcingFixture()) {
      StoredRecord old = record("a", 1, 1);
      assertEquals(new Stored(), fixture.records().insert(old));
      Fence three = fence(6, 3);
      raise(fixture, three);
      RecordChange sideways = new RecordChange(old, fields(2, 2));
      assertEquals(new Fenced(three), fixture.records().compareAndSet(sideways));
      assertEquals(
          List.of(new Fenced(three)), fixture.records().compareAndSetAll(List.of(sideways)));
    }
  }

  @Test
  void fenceRaisedByAnotherEngine_isReadAgain() {
    try (MongoRecordsFixture fixture = enforcingFixture()) {
      raise(fixture, NEW_ONLY);
      try (MongoEngine other = MongoEngine.open(fixture.database.url())) {
        assertEquals(new Raised(), other.records(MongoRecordsFixture.SHAPE).fence(fence(5, 2, 3)));
      }
      assertEquals(new Stored(), fixture.records().insert(record("a", 3)));
    }
  }

  @Test
  void batch_separatesRefusedChangesFromOthers() {
    try (MongoRecordsFixture fixture = enforcingFixture()) {
      List<StoredRecord> rewrapped = new ArrayList<>();
      for (String id : List.of("a", "b", "c")) {
        rewrapped.add(record(id, 2));
        assertEquals(new Stored(), fixture.records().insert(rewrapped.getLast()));
      }
      try (MongoEngine other = MongoEngine.open(fixture.database.url())) {
        // The fixture's engine has not seen this fence, so the server must refuse its changes.
        assertEquals(new Raised(), other.records(MongoRecordsFixture.SHAPE).fence(NEW_ONLY));
      }
      List<RecordChange> batch =
          List.of(
              new RecordChange(rewrapped.get(0), fields(1)),
              new RecordChange(rewrapped.get(1), fields(2)),
              new RecordChange(record("c", 2), fields(2)));
      assertEquals(
          List.of(new Fenced(NEW_ONLY), new Stored(), new Conflict()),
          fixture.records().compareAndSetAll(batch));
    }
  }

  private static void raise(MongoRecordsFixture fixture, Fence fence) {
    assertEquals(new Raised(), fixture.records().fence(fence));
  }

  private static void assertRefused(Runnable write) {
    MongoWriteException stopped = assertThrows(MongoWriteException.class, write::run);
    assertEquals(MongoErrors.VALIDATION, stopped.getCode());
  }

  private static MongoCollection<Document> customers(MongoRecordsFixture fixture) {
    return fixture.database.collection(MongoRecordsFixture.SHAPE.name());
  }

  private static Document document(String id, Object field) {
    return new Document("_id", id).append("f0", field);
  }

  private static void setValidator(MongoRecordsFixture fixture, Document validator) {
    fixture
        .database
        .raw()
        .getDatabase(fixture.database.name())
        .runCommand(
            new Document("collMod", MongoRecordsFixture.SHAPE.name())
                .append("validator", validator)
                .append("validationLevel", "strict")
                .append("validationAction", "error"));
  }

  private static List<Document> rules(MongoRecordsFixture fixture) {
    return fixture
        .database
        .raw()
        .getDatabase(fixture.database.name())
        .listCollections()
        .into(new ArrayList<>())
        .stream()
        .filter(it -> it.getString("name").equals(MongoRecordsFixture.SHAPE.name()))
        .map(it -> it.get("options", Document.class).get("validator", Document.class))
        .findFirst()
        .orElseThrow()
        .getList("$and", Document.class);
  }
}
