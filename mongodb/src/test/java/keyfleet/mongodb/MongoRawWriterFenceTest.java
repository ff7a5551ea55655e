package keyfleet.mongodb;

import static keyfleet.mongodb.MongoFixtures.fence;
import static keyfleet.mongodb.MongoFixtures.field;
import static keyfleet.mongodb.MongoFixtures.fields;
import static keyfleet.mongodb.MongoFixtures.record;
import static keyfleet.mongodb.MongoFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.mongodb.MongoWriteException;
import com.mongodb.client.MongoCollection;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import keyfleet.store.Conflict;
import keyfleet.store.Fence;
import keyfleet.store.FenceResult.Raised;
import keyfleet.store.FenceResult.StaleTerm;
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
  private static final Fence N_ONLY = fence(5, 2);
  private static final MongoServer ENFORCING =
      MongoTestServers.started(new ValidatingMongoBackend());
  private static final MongoServer LAX = MongoTestServers.started(new MemoryBackend());

  private static MongoRecordsFixture enforcing() {
    return new MongoRecordsFixture(
        MongoTestServers.real().isPresent()
            ? MongoTestServers.database()
            : MongoTestServers.on(ENFORCING));
  }

  @Test
  void serverWithoutValidators_remembersTheFenceAndSaysItIsUnenforced() {
    try (MongoRecordsFixture rig = new MongoRecordsFixture(MongoTestServers.on(LAX))) {
      assertEquals(new Unenforced(), rig.records().fence(N_ONLY));
      assertEquals(Optional.of(N_ONLY), rig.records().fence());
      assertEquals(new StaleTerm(N_ONLY), rig.records().fence(fence(4, 1)));
      assertEquals(new Unenforced(), rig.records().fence(fence(6, 3)));
      assertTrue(
          rig.engine.storeChecks().stream()
              .anyMatch(it -> it.level() == Level.WARN && it.sentence().contains("unfenced")),
          () -> rig.engine.storeChecks().toString());
      // Nobody who uses the driver is stopped.
      customers(rig).insertOne(new Document("_id", "a").append("f0", field(1, 1)));
      assertEquals(Map.of(v(1), 1L), rig.records().census().carrying());
    }
  }

  /// All make the first fence of a collection; the one of the highest term must stay.
  @Test
  void racingRaisers_leaveTheHighestTerm() throws InterruptedException {
    try (MongoRecordsFixture rig = enforcing()) {
      List<Thread> raisers = new ArrayList<>();
      for (int epoch = 1; epoch <= 8; epoch++) {
        Fence fence = fence(epoch, 1 + epoch % 4);
        raisers.add(Thread.ofVirtual().start(() -> rig.records().fence(fence)));
      }
      for (Thread raiser : raisers) {
        raiser.join();
      }
      Fence highest = fence(8, 1);
      assertEquals(Optional.of(highest), rig.records().fence());
      rig.records().census();
      assertStopped(() -> customers(rig).insertOne(document("a", field(2, 2))));
      customers(rig).insertOne(document("a", field(1, 1)));
    }
  }

  @Test
  void rawWriterOfAnOldVersion_isStopped() {
    try (MongoRecordsFixture rig = enforcing()) {
      raise(rig, N_ONLY);
      assertStopped(() -> customers(rig).insertOne(document("a", field(1, 1))));
      assertStopped(() -> customers(rig).insertOne(document("a", "not sealed at all")));
      assertStopped(
          () -> customers(rig).insertOne(document("a", List.of(field(2, 2), field(1, 1)))));
      customers(rig).insertOne(document("a", field(2, 2)));
      Document back = new Document("$set", new Document("f0", field(1, 1)));
      assertStopped(() -> customers(rig).updateOne(new Document("_id", "a"), back));
      assertEquals(Map.of(v(2), 1L), rig.records().census().carrying());
    }
  }

  @Test
  void unrelatedFieldOfAnOldRecord_isWrittenByItsApplication() {
    try (MongoRecordsFixture rig = enforcing()) {
      customers(rig).insertOne(document("a", field(1, 1)));
      raise(rig, N_ONLY);
      Document move = new Document("$set", new Document("address", "elsewhere"));
      assertEquals(1, customers(rig).updateOne(new Document("_id", "a"), move).getModifiedCount());
    }
  }

  @Test
  void applicationsOwnValidator_holdsBesideTheFence() {
    try (MongoRecordsFixture rig = enforcing()) {
      Document own = new Document("age", new Document("$gte", 0));
      setValidator(rig, own);
      raise(rig, N_ONLY);
      raise(rig, fence(6, 2, 3));
      assertStopped(() -> customers(rig).insertOne(document("a", field(2, 2)).append("age", -1)));
      assertStopped(() -> customers(rig).insertOne(document("a", field(1, 1)).append("age", 7)));
      customers(rig).insertOne(document("a", field(3, 3)).append("age", 7));
      assertEquals(
          List.of(2, own), List.of(rules(rig).size(), rules(rig).getLast()), "nested anew");
      // The fence is not to blame for what the application's rule refuses.
      assertThrows(
          StoreRefusedException.class, () -> rig.records().insert(record("without age", 2)));
    }
  }

  @Test
  void fenceThatTheApplicationReplaced_isBackBeforeTheNextCensus() {
    try (MongoRecordsFixture rig = enforcing()) {
      raise(rig, N_ONLY);
      setValidator(rig, new Document());
      customers(rig).insertOne(document("a", field(1, 1)));
      assertEquals(Map.of(v(1), 1L), rig.records().census().carrying());
      assertStopped(() -> customers(rig).insertOne(document("b", field(1, 1))));
    }
  }

  /// The server cannot see what a document was; our own writers can.
  @Test
  void oldRecordToAnotherOldVersion_isStoppedByTheEngine() {
    try (MongoRecordsFixture rig = enforcing()) {
      StoredRecord old = record("a", 1, 1);
      assertEquals(new Stored(), rig.records().insert(old));
      Fence three = fence(6, 3);
      raise(rig, three);
      RecordChange sideways = new RecordChange(old, fields(2, 2));
      assertEquals(new Fenced(three), rig.records().compareAndSet(sideways));
      assertEquals(List.of(new Fenced(three)), rig.records().compareAndSetAll(List.of(sideways)));
    }
  }

  @Test
  void fenceOpenedByAnother_isNotRememberedWrongly() {
    try (MongoRecordsFixture rig = enforcing()) {
      raise(rig, N_ONLY);
      try (MongoEngine other = MongoEngine.open(rig.database.url())) {
        assertEquals(new Raised(), other.records(MongoRecordsFixture.SHAPE).fence(fence(5, 2, 3)));
      }
      assertEquals(new Stored(), rig.records().insert(record("a", 3)));
    }
  }

  @Test
  void batch_tellsRefusedChangesFromOthers() {
    try (MongoRecordsFixture rig = enforcing()) {
      List<StoredRecord> moved = new ArrayList<>();
      for (String id : List.of("a", "b", "c")) {
        moved.add(record(id, 2));
        assertEquals(new Stored(), rig.records().insert(moved.getLast()));
      }
      try (MongoEngine other = MongoEngine.open(rig.database.url())) {
        // This engine has not seen the fence, so the server must stop it.
        assertEquals(new Raised(), other.records(MongoRecordsFixture.SHAPE).fence(N_ONLY));
      }
      List<RecordChange> batch =
          List.of(
              new RecordChange(moved.get(0), fields(1)),
              new RecordChange(moved.get(1), fields(2)),
              new RecordChange(record("c", 2), fields(2)));
      assertEquals(
          List.of(new Fenced(N_ONLY), new Stored(), new Conflict()),
          rig.records().compareAndSetAll(batch));
    }
  }

  private static void raise(MongoRecordsFixture rig, Fence fence) {
    assertEquals(new Raised(), rig.records().fence(fence));
  }

  private static void assertStopped(Runnable write) {
    MongoWriteException stopped = assertThrows(MongoWriteException.class, write::run);
    assertEquals(MongoErrors.VALIDATION, stopped.getCode());
  }

  private static MongoCollection<Document> customers(MongoRecordsFixture rig) {
    return rig.database.collection(MongoRecordsFixture.SHAPE.name());
  }

  private static Document document(String id, Object field) {
    return new Document("_id", id).append("f0", field);
  }

  private static void setValidator(MongoRecordsFixture rig, Document validator) {
    rig.database
        .raw()
        .getDatabase(rig.database.name())
        .runCommand(
            new Document("collMod", MongoRecordsFixture.SHAPE.name())
                .append("validator", validator)
                .append("validationLevel", "strict")
                .append("validationAction", "error"));
  }

  private static List<Document> rules(MongoRecordsFixture rig) {
    return rig
        .database
        .raw()
        .getDatabase(rig.database.name())
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
