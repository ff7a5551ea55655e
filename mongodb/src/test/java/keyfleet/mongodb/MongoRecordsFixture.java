package keyfleet.mongodb;

import com.mongodb.MongoException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.store.CollectionShape;
import keyfleet.store.Conflict;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.RecordWriteResult.Fenced;
import keyfleet.store.RecordWriteResult.Stored;
import keyfleet.store.Records;
import keyfleet.store.RecordsFixture;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

/// An application's collection in its own database.
final class MongoRecordsFixture implements RecordsFixture {
  static final CollectionShape SHAPE =
      new CollectionShape("customers", "_id", new TreeSet<>(Set.of("f0", "f1", "f2")))
          .withVersionField("kek_version");

  final MongoTestServers.TestDatabase database;
  final MongoEngine engine;
  private final Records records;

  MongoRecordsFixture(MongoTestServers.TestDatabase database) {
    this.database = database;
    database.raw().getDatabase(database.name()).createCollection(SHAPE.name());
    this.engine = MongoEngine.open(database.url());
    this.records = engine.records(SHAPE);
  }

  @Override
  public Records records() {
    return records;
  }

  @Override
  public RecordWriteResult writeUnrelated(RecordId id, String text) {
    try {
      Document change = new Document("$set", new Document("address", text));
      Document filter = new Document("_id", id.value());
      return database.collection(SHAPE.name()).updateOne(filter, change).getMatchedCount() == 1
          ? new Stored()
          : new Conflict();
    } catch (MongoException e) {
      if (e.getCode() == MongoErrors.VALIDATION) {
        return new Fenced(records.fence().orElseThrow());
      }
      throw e;
    }
  }

  @Override
  public void writeVersionField(RecordId id, @Nullable Integer version) {
    Document change = new Document("$set", new Document("kek_version", version));
    database.collection(SHAPE.name()).updateOne(new Document("_id", id.value()), change);
  }

  @Override
  public Optional<Integer> readVersionField(RecordId id) {
    Document found =
        database.collection(SHAPE.name()).find(new Document("_id", id.value())).first();
    return Optional.ofNullable(found).map(it -> it.getInteger("kek_version"));
  }

  @Override
  public void close() {
    engine.close();
    database.close();
  }
}
