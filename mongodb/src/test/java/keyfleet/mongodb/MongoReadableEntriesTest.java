package keyfleet.mongodb;

import static keyfleet.store.StoreFixtures.THINGS;
import static keyfleet.store.StoreFixtures.assertWritten;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import keyfleet.store.Bucket;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Revision;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.Test;

/// What a person sees in MongoDB's shell.
final class MongoReadableEntriesTest {
  private static final Bucket BEATS = new Bucket.Expiring("beats", Duration.ofMinutes(2));
  private static final Key A = new Key("a");

  private static keyfleet.store.Document beat(String nonce) {
    return keyfleet.store.Document.builder()
        .text("hostname", "web-1")
        .number("pid", 4711)
        .numbers("loaded_kek_versions", List.of(1L, 2L))
        .text("nonce", nonce)
        .build();
  }

  @Test
  void heartbeat_isADocumentWithTheServersTimeOfTheBeat() {
    try (MongoKvFixture fixture = new MongoKvFixture()) {
      Kv kv = fixture.inner();
      Revision first = assertWritten(kv.create(BEATS, A, beat("1").toValue()));
      Document created = find(fixture, "beats");
      assertEquals(
          new Document("hostname", "web-1")
              .append("pid", 4711)
              .append("loaded_kek_versions", List.of(1, 2))
              .append("nonce", "1"),
          created.get("value"));
      assertWritten(kv.update(BEATS, A, beat("2").toValue(), first));
      Document updated = find(fixture, "beats");
      assertEquals("2", updated.getEmbedded(List.of("value", "nonce"), String.class));

      Entry entry = kv.get(BEATS, A).orElseThrow();
      assertEquals(beat("2").toValue(), entry.value());
      assertEquals(entry.writtenAt().millis(), timeOf(fixture, "beats", "last_heartbeat"));
      assertNull(updated.get("at"));
    }
  }

  @Test
  void heartbeats_canBeSearchedByTheirFields() {
    try (MongoKvFixture fixture = new MongoKvFixture()) {
      assertWritten(fixture.inner().put(BEATS, A, beat("1").toValue()));
      var beats = fixture.database().collection("beats");
      assertEquals(1, beats.countDocuments(new Document("value.loaded_kek_versions", 2)));
      assertEquals(0, beats.countDocuments(new Document("value.loaded_kek_versions", 3)));
    }
  }

  /// `createIndexes` is the only way to a TTL index, and it must be on the field with the time.
  @Test
  void heartbeats_expireByTheirTime() {
    try (MongoKvFixture fixture = new MongoKvFixture()) {
      assertWritten(fixture.inner().put(BEATS, A, beat("1").toValue()));
      assertTrue(
          fixture
              .database()
              .collection("beats")
              .listIndexes()
              .into(new java.util.ArrayList<>())
              .stream()
              .anyMatch(it ->
                  new Document("last_heartbeat", 1).equals(it.get("key"))
                      && it.containsKey("expireAfterSeconds")));
    }
  }

  @Test
  void lastingEntry_isADocumentToo() {
    try (MongoKvFixture fixture = new MongoKvFixture()) {
      assertWritten(fixture.inner().put(THINGS, A, beat("1").toValue()));
      Document stored = find(fixture, "things");
      assertEquals(4711, stored.getEmbedded(List.of("value", "pid"), Integer.class));
      assertEquals(
          fixture.inner().get(THINGS, A).orElseThrow().writtenAt().millis(),
          timeOf(fixture, "things", "at"));
    }
  }

  private static Document find(MongoKvFixture fixture, String bucket) {
    Document found = fixture.database().collection(bucket).find(new Document("_id", "a")).first();
    return java.util.Objects.requireNonNull(found);
  }

  /// The milliseconds of a BSON date.
  private static long timeOf(MongoKvFixture fixture, String bucket, String field) {
    BsonDocument found =
        fixture
            .database()
            .collection(bucket)
            .withDocumentClass(BsonDocument.class)
            .find(new Document("_id", "a"))
            .first();
    return java.util.Objects.requireNonNull(found).getDateTime(field).getValue();
  }
}
