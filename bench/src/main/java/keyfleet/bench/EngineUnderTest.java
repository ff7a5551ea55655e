package keyfleet.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import keyfleet.store.Bucket;
import keyfleet.store.Bytes;
import keyfleet.store.CollectionShape;
import keyfleet.store.Key;
import keyfleet.store.Prefix;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult.Stored;
import keyfleet.store.Records;
import keyfleet.store.Revision;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;
import keyfleet.store.Value;
import keyfleet.store.WriteResult.Written;
import keyfleet.store.engine.Engine;

/// An engine, used through its ports. A second engine watches, as another process would.
final class EngineUnderTest implements StoreUnderTest {
  private static final Bucket IN = new Bucket.Lasting(BUCKET);
  private static final Value VALUE = Value.of("v".repeat(VALUE_BYTES));
  private static final Key COUNTER = new Key("ours.counter");
  private static final Key WATCHED = new Key("ours.watched");

  private final Engine engine;
  private final Engine other;
  private final CollectionShape shape;
  private final List<StoredRecord> stored = new ArrayList<>();
  private Revision last;

  EngineUnderTest(Engine engine, Engine other, CollectionShape shape) {
    this.engine = engine;
    this.other = other;
    this.shape = shape;
    this.last = put(COUNTER);
  }

  @Override
  public void compareAndSet(int times) {
    for (int i = 0; i < times; i++) {
      if (!(engine.kv().update(IN, COUNTER, VALUE, last) instanceof Written(Revision next))) {
        throw new IllegalStateException("a compare-and-set failed");
      }
      last = next;
    }
  }

  @Override
  public int list() {
    return engine.kv().list(IN, Prefix.under(new Key(BRANCH))).size();
  }

  @Override
  public void watch(Runnable onChange) {
    var _ = other.kv().watch(IN, Prefix.under(new Key("ours")), _ -> onChange.run());
  }

  @Override
  public void write() {
    put(WATCHED);
  }

  @Override
  public void seed(List<byte[]> sealed) {
    Records records = engine.records(shape);
    for (int i = 0; i < sealed.size(); i++) {
      StoredRecord record =
          new StoredRecord(
              new RecordId(SealedTable.id(i)),
              SealedFields.of(Map.of(SealedTable.FIELD, Bytes.copyOf(sealed.get(i)))));
      records.insert(record);
      stored.add(record);
    }
  }

  @Override
  public void rewrite(int batch) {
    Records records = engine.records(shape);
    for (int from = 0; from < stored.size(); from += batch) {
      List<StoredRecord> some = stored.subList(from, Math.min(stored.size(), from + batch));
      List<RecordChange> changes = some.stream().map(PlainRewriter::changeKey).toList();
      if (!records.compareAndSetAll(changes).stream().allMatch(Stored.class::isInstance)) {
        throw new IllegalStateException("a record was not stored");
      }
      for (int i = 0; i < changes.size(); i++) {
        some.set(i, new StoredRecord(some.get(i).id(), changes.get(i).after()));
      }
    }
  }

  private Revision put(Key key) {
    if (engine.kv().put(IN, key, VALUE) instanceof Written(Revision revision)) {
      return revision;
    }
    throw new IllegalStateException("a put failed");
  }

  @Override
  public void close() {
    try (engine) {
      other.close();
    }
  }
}
