package keyfleet.mongodb;

import static keyfleet.store.StoreFixtures.fields;
import static keyfleet.store.StoreFixtures.record;
import static org.junit.jupiter.api.Assertions.assertEquals;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.bson.Document;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import keyfleet.store.Conflict;
import keyfleet.store.FaultProxy;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.RecordWriteResult.Stored;
import keyfleet.store.Records;
import keyfleet.store.StoredRecord;
import keyfleet.store.Unknown;
import org.junit.jupiter.api.Test;

/// Batches for which the server returns only the number of matched changes.
final class RecordBatchWriterTest {
  @Test
  void recordChangedAgainBeforeItWasReadBack_isUnknown() {
    AtomicBoolean disturbed = new AtomicBoolean();
    MongoServer server =
        MongoTestServers.start(
            new ScriptedMongoBackend(call -> {
              Document answer = call.forward();
              if (call.name().equals("update") && disturbed.getAndSet(false)) {
                call.forward(overwriteCommand("b"));
              }
              return answer;
            }));
    try (MongoRecordsFixture fixture =
        new MongoRecordsFixture(MongoTestServers.databaseOn(server))) {
      List<RecordChange> changes = changes(fixture.records(), "a", "b");
      changes.add(new RecordChange(record("absent", 1), fields(2)));
      disturbed.set(true);
      assertEquals(
          List.of(new Stored(), new Unknown(), new Unknown()),
          fixture.records().compareAndSetAll(changes));
    } finally {
      server.shutdownNow();
    }
  }

  @Test
  void batchWhoseAnswerIsLost_isUnknownForEachChange() {
    try (MongoRecordsFixture fixture = new MongoRecordsFixture(MongoTestServers.database());
        FaultProxy proxy = fixture.database.startProxy();
        MongoEngine engine = MongoEngine.open(fixture.database.urlThrough(proxy))) {
      Records records = engine.records(MongoRecordsFixture.SHAPE);
      List<RecordChange> changes = changes(records, "a", "b");
      proxy.cutAtNextReply();
      assertEquals(List.of(new Unknown(), new Unknown()), records.compareAndSetAll(changes));
    }
  }

  @Test
  void manyBatches_answerInOrder() {
    try (MongoRecordsFixture fixture = new MongoRecordsFixture(MongoTestServers.database())) {
      String[] ids = new String[230];
      for (int i = 0; i < ids.length; i++) {
        ids[i] = "%04d".formatted(i);
      }
      List<RecordChange> changes = changes(fixture.records(), ids);
      List<RecordWriteResult> expected =
          new ArrayList<>(Collections.nCopies(ids.length, new Stored()));
      for (int conflict : new int[] {0, 199, 200, 229}) {
        changes.set(conflict, new RecordChange(record(ids[conflict], 1), fields(2)));
        expected.set(conflict, new Conflict());
      }
      assertEquals(expected, fixture.records().compareAndSetAll(changes));
    }
  }

  private static List<RecordChange> changes(Records records, String... ids) {
    List<RecordChange> changes = new ArrayList<>();
    for (String id : ids) {
      StoredRecord record = record(id, 1);
      assertEquals(new Stored(), records.insert(record));
      changes.add(new RecordChange(record, fields(2)));
    }
    return changes;
  }

  private static Document overwriteCommand(String id) {
    Document change =
        new Document("q", new Document("_id", id))
            .append("u", new Document("$unset", new Document("f0", "")));
    return new Document("update", MongoRecordsFixture.SHAPE.name())
        .append("updates", List.of(change));
  }
}
