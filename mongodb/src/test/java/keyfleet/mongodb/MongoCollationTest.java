package keyfleet.mongodb;

import static keyfleet.store.StoreFixtures.fields;
import static keyfleet.store.StoreFixtures.record;
import static keyfleet.store.StoreFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import keyfleet.store.DeleteResult.Deleted;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordWriteResult.Stored;
import keyfleet.store.Records;
import keyfleet.store.StoredRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The engine compares ids byte by byte, and names a collation only where the collection has one of
/// its own: some servers refuse every command that names one.
final class MongoCollationTest {
  private final List<Document> collations = Collections.synchronizedList(new ArrayList<>());

  /// How many commands on the records named none.
  private int unnamed;

  @Test
  void serverWithoutCollations_servesRecords() {
    MongoServer server =
        MongoTestServers.start(
            new ScriptedMongoBackend(call -> {
              if (parts(call.query()).anyMatch(it -> it.containsKey("collation"))) {
                throw new MongoServerError(115, "CommandNotSupported", "no collation");
              }
              return call.forward();
            }));
    try (MongoRecordsFixture fixture =
        new MongoRecordsFixture(MongoTestServers.databaseOn(server))) {
      useEveryCommand(fixture.records());
    } finally {
      server.shutdownNow();
    }
  }

  static List<Document> sameAsNone() {
    return List.of(new Document(), new Document("collation", new Document("locale", "simple")));
  }

  @ParameterizedTest
  @MethodSource("sameAsNone")
  void collectionWithoutCollation_needsNone(Document options) {
    runOn(options);
    assertEquals(List.of(), collations);
  }

  @Test
  void collectionThatIgnoresCase_isComparedByteByByte() {
    Document own = new Document("locale", "en").append("strength", 2);
    runOn(new Document("collation", own));
    assertFalse(collations.isEmpty());
    collations.forEach(it -> assertEquals("simple", it.get("locale")));
    assertEquals(0, unnamed, "commands on documents without collation");
  }

  private void runOn(Document options) {
    MongoServer server =
        MongoTestServers.start(
            new ScriptedMongoBackend(call -> {
              boolean isOnRecords =
                  MongoRecordsFixture.SHAPE.name().equals(call.query().get(call.name()));
              if (isOnRecords && List.of("find", "update", "delete").contains(call.name())) {
                addCollations(call.query());
              }
              Document answer = call.forward();
              if (call.name().equals("listCollections")) {
                ScriptedMongoBackend.batch(answer).forEach(it -> it.put("options", options));
              }
              return answer;
            }));
    try (MongoRecordsFixture fixture =
        new MongoRecordsFixture(MongoTestServers.databaseOn(server))) {
      useEveryCommand(fixture.records());
    } finally {
      server.shutdownNow();
    }
  }

  private synchronized void addCollations(Document command) {
    List<Document> named = parts(command).filter(it -> it.containsKey("collation")).toList();
    unnamed += named.isEmpty() ? 1 : 0;
    named.forEach(it -> collations.add((Document) it.get("collation")));
  }

  /// The command and its single updates or deletions.
  private static Stream<Document> parts(Document command) {
    return Stream.concat(
        Stream.of(command),
        Stream.of("updates", "deletes")
            .map(command::get)
            .filter(Collection.class::isInstance)
            .flatMap(it -> ((Collection<?>) it).stream())
            .map(Document.class::cast));
  }

  private static void useEveryCommand(Records records) {
    StoredRecord one = record("a", 1);
    assertInstanceOf(Stored.class, records.insert(one));
    assertEquals(List.of(one), records.scan(v(1), 10));
    StoredRecord two = new StoredRecord(one.id(), fields(2));
    assertInstanceOf(Stored.class, records.compareAndSet(new RecordChange(one, two.fields())));
    StoredRecord three = new StoredRecord(one.id(), fields(3));
    assertEquals(
        List.of(new Stored()),
        records.compareAndSetAll(List.of(new RecordChange(two, three.fields()))));
    assertEquals(Map.of(v(3), 1L), records.census().carrying());
    assertInstanceOf(Deleted.class, records.delete(three));
  }
}
