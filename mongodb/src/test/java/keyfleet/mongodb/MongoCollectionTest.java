package keyfleet.mongodb;

import static keyfleet.mongodb.MongoFixtures.field;
import static keyfleet.store.StoreFixtures.fields;
import static keyfleet.store.StoreFixtures.record;
import static keyfleet.store.StoreFixtures.sealed;
import static keyfleet.store.StoreFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import keyfleet.store.Bytes;
import keyfleet.store.Census;
import keyfleet.store.CollectionShape;
import keyfleet.store.Conflict;
import keyfleet.store.DeleteResult.Deleted;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult.Stored;
import keyfleet.store.Records;
import keyfleet.store.SealedFields;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.StoredRecord;
import org.bson.Document;
import org.bson.types.Binary;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Collections of applications with any kind of id, and with mistakes.
final class MongoCollectionTest {
  @Test
  void sealedField_isStoredWithItsVersionBesideIt() {
    try (MongoRecordsFixture fixture = newFixture()) {
      Bytes envelope = sealed(3);
      StoredRecord record =
          new StoredRecord(new RecordId("a"), SealedFields.of(Map.of("f0", envelope)));
      assertEquals(new Stored(), fixture.records().insert(record));
      Document stored = new Document("kv", 3).append("ct", new Binary(envelope.toArray()));
      assertEquals(
          new Document("_id", "a").append("f0", stored).append("kek_version", 3),
          customers(fixture).find().first());
    }
  }

  /// A field with `kv` 2 and an envelope of version 1 is found under 1; the next rewrap repairs it.
  @Test
  void mislabelledField_isCountedUnderItsEnvelopeAndAsUnreadable() {
    try (MongoRecordsFixture fixture = newFixture()) {
      customers(fixture).insertOne(new Document("_id", "wrong-kv").append("f0", field(2, 1)));
      customers(fixture)
          .insertOne(
              new Document("_id", "no-kv").append("f0", new Document("ct", field(2, 2).get("ct"))));
      Census census = fixture.records().census();
      assertEquals(Map.of(v(1), 1L, v(2), 1L), census.carrying());
      assertEquals(2, census.unreadable());
      List<StoredRecord> found = fixture.records().scan(v(1), 10);
      assertEquals(1, found.size());
      assertEquals(
          new Stored(),
          fixture.records().compareAndSet(new RecordChange(found.getFirst(), fields(2))));
      assertEquals(1, fixture.records().census().unreadable());
    }
  }

  @Test
  void fieldThatIsNoSubdocument_isUnreadableAndNotChanged() {
    try (MongoRecordsFixture fixture = newFixture()) {
      byte[] envelope = sealed(1).toArray();
      List<Object> values =
          List.of(
              "plain text", 7, new Binary(envelope), new Document("kv", 1), List.of(field(1, 1)));
      for (Object value : values) {
        customers(fixture)
            .insertOne(new Document("_id", "r" + values.indexOf(value)).append("f0", value));
      }
      assertEquals(values.size(), fixture.records().census().unreadable());
      assertEquals(Map.of(), fixture.records().census().carrying());
      StoredRecord read = fixture.records().read(new RecordId("r0")).orElseThrow();
      assertTrue(read.fields().hasUnreadable());
      assertEquals(
          new Conflict(), fixture.records().compareAndSet(new RecordChange(read, fields(1))));
      assertEquals(new Conflict(), fixture.records().delete(read));
    }
  }

  /// The server compares binary values with their subtype, so a change could never match another
  /// subtype.
  @Test
  void envelopeOfAnotherBinarySubtype_isUnreadable() {
    Binary other = new Binary((byte) 5, sealed(1).toArray());
    SealedSubdocument field = new SealedSubdocument(new Document("kv", 1).append("ct", other));
    assertTrue(SealedFields.of(Map.of("f0", field.bytes().orElseThrow())).hasUnreadable());
  }

  @Test
  void nullField_isAbsent() {
    try (MongoRecordsFixture fixture = newFixture()) {
      customers(fixture)
          .insertOne(new Document("_id", "a").append("f0", null).append("f1", field(1, 1)));
      StoredRecord read = fixture.records().read(new RecordId("a")).orElseThrow();
      assertEquals(List.of("f1"), List.copyOf(read.fields().byName().keySet()));
      SealedFields next = SealedFields.of(Map.of("f1", sealed(2)));
      assertEquals(new Stored(), fixture.records().compareAndSet(new RecordChange(read, next)));
    }
  }

  @Test
  void objectIdsAndStrings_areFoundByTheirText() {
    try (MongoRecordsFixture fixture = newFixture()) {
      List<String> texts = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        ObjectId id = new ObjectId();
        Object stored = i % 3 == 0 ? id : i % 3 == 1 ? id.toHexString() : "n" + i;
        texts.add(stored.toString());
        customers(fixture).insertOne(new Document("_id", stored).append("f0", field(1, 1)));
      }
      List<String> scanned = new ArrayList<>();
      List<StoredRecord> page = fixture.records().scan(v(1), 7);
      while (!page.isEmpty()) {
        page.forEach(it -> scanned.add(it.id().value()));
        page = fixture.records().scan(v(1), page.getLast().id(), 7);
      }
      assertEquals(texts.stream().sorted().toList(), scanned);
      for (String text : texts) {
        StoredRecord read = fixture.records().read(new RecordId(text)).orElseThrow();
        assertEquals(new Conflict(), fixture.records().insert(record(text, 2)));
        StoredRecord rewrapped = new StoredRecord(read.id(), fields(2));
        assertEquals(
            new Stored(),
            fixture.records().compareAndSet(new RecordChange(read, rewrapped.fields())));
        assertEquals(new Deleted(), fixture.records().delete(rewrapped));
      }
      assertEquals(Census.of(List.of()), fixture.records().census());
    }
  }

  @Test
  void textOfTwoDocuments_isRefused() {
    try (MongoRecordsFixture fixture = newFixture()) {
      ObjectId id = new ObjectId();
      customers(fixture).insertOne(new Document("_id", id).append("f0", field(1, 1)));
      customers(fixture).insertOne(new Document("_id", id.toHexString()).append("f0", field(1, 1)));
      assertThrows(
          StoreRefusedException.class,
          () -> fixture.records().read(new RecordId(id.toHexString())));
    }
  }

  /// Such documents can be neither scanned nor rewrapped, so the engine must report them.
  @Test
  void idOfAnotherType_isRefusedAndNeverSkipped() {
    try (MongoRecordsFixture fixture = newFixture()) {
      customers(fixture).insertOne(new Document("_id", 7).append("f0", field(1, 1)));
      StoreRefusedException refused =
          assertThrows(StoreRefusedException.class, () -> fixture.records().census());
      assertTrue(refused.getMessage().contains("customers"), refused::getMessage);
      assertThrows(
          StoreRefusedException.class, () -> fixture.engine.records(MongoRecordsFixture.SHAPE));
    }
  }

  @Test
  void ownIdField_needsAUniqueIndex() {
    try (MongoRecordsFixture fixture = newFixture()) {
      CollectionShape byNumber = shape("customers", "number");
      StoreRefusedException refused =
          assertThrows(StoreRefusedException.class, () -> fixture.engine.records(byNumber));
      assertTrue(refused.remedy().contains("unique"), refused::remedy);
      customers(fixture).createIndex(Indexes.ascending("number"), new IndexOptions().unique(true));
      Records records = fixture.engine.records(byNumber);
      StoredRecord record = record("nr-1", 1, 1);
      assertEquals(new Stored(), records.insert(record));
      assertEquals(new Conflict(), records.insert(record("nr-1", 2)));
      assertEquals(Optional.of(record), records.read(record.id()));
      assertEquals(new Stored(), records.compareAndSet(new RecordChange(record, fields(2, 2))));
      assertEquals(
          List.of(new RecordId("nr-1")),
          records.scan(v(2), 5).stream().map(StoredRecord::id).toList());
    }
  }

  @Test
  void missingCollection_isRefusedByName() {
    try (MongoRecordsFixture fixture = newFixture()) {
      StoreRefusedException refused =
          assertThrows(
              StoreRefusedException.class, () -> fixture.engine.records(shape("nothing", "_id")));
      assertTrue(refused.getMessage().contains("nothing"), refused::getMessage);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 499, 500, 501, 1_250})
  void longCollection_isReadInPages(int size) {
    try (MongoRecordsFixture fixture = newFixture()) {
      List<Document> all = new ArrayList<>();
      Document field = field(1, 1);
      for (int i = 0; i < size; i++) {
        all.add(new Document("_id", "%05d".formatted(i)).append("f0", field));
      }
      customers(fixture).insertMany(all);
      assertEquals(Map.of(v(1), (long) size), fixture.records().census().belonging());
      assertEquals(size, fixture.records().scan(v(1), size + 1).size());
      assertEquals(List.of(), fixture.records().scan(v(2), 1));
    }
  }

  @Test
  void changeOfAFieldThatIsNotSealed_isABug() {
    try (MongoRecordsFixture fixture = newFixture()) {
      SealedFields other = SealedFields.of(Map.of("address", sealed(1)));
      assertThrows(
          IllegalArgumentException.class,
          () -> fixture.records().insert(new StoredRecord(new RecordId("a"), other)));
    }
  }

  private static MongoRecordsFixture newFixture() {
    return new MongoRecordsFixture(MongoTestServers.database());
  }

  private static MongoCollection<Document> customers(MongoRecordsFixture fixture) {
    return fixture.database.collection(MongoRecordsFixture.SHAPE.name());
  }

  private static CollectionShape shape(String name, String id) {
    return new CollectionShape(name, id, new TreeSet<>(List.of("f0", "f1")));
  }

  @Test
  void ownCollection_isCreatedOnceAndUsable() {
    CollectionShape shape = new CollectionShape("own", "name", new TreeSet<>(List.of("value")));
    try (MongoTestServers.TestDatabase database = MongoTestServers.database();
        MongoEngine engine = MongoEngine.open(database.url())) {
      engine.createCollection(shape);
      StoredRecord kept =
          new StoredRecord(new RecordId("a"), SealedFields.of(Map.of("value", sealed(1))));
      assertEquals(new Stored(), engine.records(shape).insert(kept));
      engine.createCollection(shape);
      assertEquals(kept, engine.records(shape).read(kept.id()).orElseThrow());
    }
  }

  /// Documents of an earlier build have no version field until they are written again.
  @Test
  void ownCollectionOfAnEarlierBuild_gainsTheVersionField() {
    CollectionShape shape = new CollectionShape("own", "name", new TreeSet<>(List.of("value")));
    CollectionShape versioned = shape.withVersionField("kek_version");
    try (MongoTestServers.TestDatabase database = MongoTestServers.database();
        MongoEngine engine = MongoEngine.open(database.url())) {
      engine.createCollection(shape);
      StoredRecord kept =
          new StoredRecord(new RecordId("a"), SealedFields.of(Map.of("value", sealed(1))));
      engine.records(shape).insert(kept);
      engine.createCollection(versioned);
      engine.createCollection(versioned);
      Records records = engine.records(versioned);
      assertEquals(1, records.census().mismatched());
      assertEquals(new Stored(), records.compareAndSet(new RecordChange(kept, kept.fields())));
      assertEquals(0, records.census().mismatched());
      assertEquals(1, database.collection("own").countDocuments(new Document("kek_version", 1)));
      assertTrue(
          database.collection("own").listIndexes().into(new ArrayList<>()).stream()
              .anyMatch(it -> new Document("kek_version", 1).equals(it.get("key"))));
    }
  }
}
