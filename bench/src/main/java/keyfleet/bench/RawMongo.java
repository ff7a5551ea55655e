package keyfleet.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.Sorts;
import com.mongodb.client.model.UpdateOneModel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import keyfleet.crypto.Envelope;
import org.bson.Document;
import org.bson.types.Binary;

/// The sync driver on the documents of the engine: majority writes, reads from the primary, and a
/// poll of the watched document as often as the engine polls.
final class RawMongo implements StoreUnderTest {
  private static final int PAGE = 1_000;

  private final MongoClient client;
  private final MongoDatabase database;
  private final MongoCollection<Document> entries;
  private final MongoCollection<Document> records;
  private final Binary value = new Binary("v".repeat(VALUE_BYTES).getBytes(UTF_8));
  private final List<byte[]> stored = new ArrayList<>();
  private final RawChangeSignals.Poller poller = new RawChangeSignals.Poller();
  private long counter = 1;
  private long watched = 1;

  RawMongo(String url, String name, String collection) {
    this.client = MongoClients.create(url);
    this.database =
        client
            .getDatabase(name)
            .withWriteConcern(WriteConcern.MAJORITY)
            .withReadConcern(ReadConcern.MAJORITY)
            .withReadPreference(ReadPreference.primary());
    this.entries = database.getCollection(BUCKET);
    this.records = database.getCollection(collection);
    entries.insertOne(entry("raw.counter"));
    entries.insertOne(entry("raw.watched"));
  }

  void createCollection(String collection) {
    database.createCollection(collection);
  }

  void fill(int keys) {
    List<Document> documents = new ArrayList<>();
    for (int i = 0; i < keys; i++) {
      documents.add(entry(BRANCH + "." + SealedTable.id(i)));
    }
    entries.insertMany(documents);
  }

  private Document entry(String key) {
    return new Document("_id", key)
        .append("rev", 1L)
        .append("at", Instant.ofEpochMilli(1))
        .append("value", value);
  }

  @Override
  public void compareAndSet(int times) {
    for (int i = 0; i < times; i++) {
      set("raw.counter", counter++);
    }
  }

  private void set(String key, long expected) {
    Document change =
        new Document("$inc", new Document("rev", 1L))
            .append("$set", new Document("value", value))
            .append("$currentDate", new Document("at", true));
    Document after =
        entries.findOneAndUpdate(
            new Document("_id", key).append("rev", expected),
            change,
            new FindOneAndUpdateOptions()
                .projection(Projections.include("rev", "at"))
                .returnDocument(ReturnDocument.AFTER));
    if (after == null) {
      throw new IllegalStateException("a compare-and-set failed");
    }
  }

  @Override
  public int list() {
    Document range = new Document("$gte", BRANCH + ".").append("$lt", BRANCH + "/");
    return entries
        .find(new Document("_id", range))
        .sort(Sorts.ascending("_id"))
        .batchSize(PAGE)
        .into(new ArrayList<>())
        .size();
  }

  @Override
  public void watch(Runnable onChange) {
    poller.start(Duration.ofMillis(400), this::revision, onChange);
  }

  private long revision() {
    Document found =
        entries
            .find(new Document("_id", "raw.watched"))
            .projection(Projections.include("rev"))
            .first();
    return found == null ? 0 : found.getLong("rev");
  }

  @Override
  public void write() {
    set("raw.watched", watched++);
  }

  @Override
  public void seed(List<byte[]> sealed) {
    List<Document> documents = new ArrayList<>();
    for (int i = 0; i < sealed.size(); i++) {
      documents.add(
          new Document("_id", SealedTable.id(i)).append(SealedTable.FIELD, field(sealed.get(i))));
      stored.add(sealed.get(i).clone());
    }
    records.insertMany(documents);
  }

  private static Document field(byte[] sealed) {
    int version = Envelope.parse(sealed).orElseThrow().version().number();
    return new Document("kv", version).append("ct", new Binary(sealed));
  }

  @Override
  public void rewrite(int batch) {
    for (int from = 0; from < stored.size(); from += batch) {
      List<UpdateOneModel<Document>> changes = new ArrayList<>();
      for (int i = from; i < Math.min(stored.size(), from + batch); i++) {
        byte[] next = PlainRewriter.changeKey(stored.get(i));
        changes.add(
            new UpdateOneModel<>(
                new Document("_id", SealedTable.id(i))
                    .append(SealedTable.FIELD + ".ct", new Binary(stored.get(i))),
                new Document("$set", new Document(SealedTable.FIELD, field(next)))));
        stored.set(i, next);
      }
      var result = records.bulkWrite(changes, new BulkWriteOptions().ordered(false));
      if (result.getMatchedCount() != changes.size()) {
        throw new IllegalStateException("a record was not stored");
      }
    }
  }

  @Override
  public void close() {
    poller.close();
    client.close();
  }
}
