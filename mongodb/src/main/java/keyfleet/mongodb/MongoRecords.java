package keyfleet.mongodb;

import com.mongodb.MongoException;
import com.mongodb.client.model.DeleteOptions;
import com.mongodb.client.model.UpdateOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Census;
import keyfleet.store.CensusCounter;
import keyfleet.store.CollectionShape;
import keyfleet.store.Conflict;
import keyfleet.store.DeleteResult;
import keyfleet.store.DeleteResult.Deleted;
import keyfleet.store.Fence;
import keyfleet.store.FenceResult;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.RecordWriteResult.Fenced;
import keyfleet.store.RecordWriteResult.Stored;
import keyfleet.store.Records;
import keyfleet.store.SealedFields;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.StoredRecord;
import keyfleet.store.Unknown;
import org.bson.Document;

/// The records of an application's collection. Every decision uses the envelopes themselves, so
/// scans and censuses read them all: `kv` is only a writer's claim, and an index on it would hide
/// wrong ones.
final class MongoRecords implements Records {
  private final CollectionShape shape;
  private final RecordDocuments documents;
  private final MongoFence fence;
  private final RecordBatchWriter batchWriter;

  MongoRecords(CollectionShape shape, RecordDocuments documents, MongoFence fence) {
    this.shape = shape;
    this.documents = documents;
    this.fence = fence;
    this.batchWriter = new RecordBatchWriter(documents, fence);
  }

  @Override
  public List<StoredRecord> scan(KekVersion version, int limit) {
    return scanAfter("", belongsTo(version), limit);
  }

  @Override
  public List<StoredRecord> scan(KekVersion version, RecordId after, int limit) {
    return scanAfter(after.value(), belongsTo(version), limit);
  }

  @Override
  public List<StoredRecord> scanMismatched(int limit) {
    return scanAfter("", documents::isMismatched, limit);
  }

  @Override
  public List<StoredRecord> scanMismatched(RecordId after, int limit) {
    return scanAfter(after.value(), documents::isMismatched, limit);
  }

  private Predicate<Document> belongsTo(KekVersion version) {
    return it -> documents.toRecord(it).fields().lowestVersion().equals(Optional.of(version));
  }

  private List<StoredRecord> scanAfter(String after, Predicate<Document> condition, int limit) {
    List<StoredRecord> found = new ArrayList<>();
    MongoErrors.translate(() -> {
      documents.walk(
          after,
          document -> {
            if (condition.test(document)) {
              found.add(documents.toRecord(document));
            }
            return found.size() < limit;
          });
      return found;
    });
    return List.copyOf(found);
  }

  @Override
  public Optional<StoredRecord> read(RecordId id) {
    Document filter = new Document(shape.idField(), DocumentIds.filterFor(id));
    List<Document> found =
        MongoErrors.translate(() -> documents.find(filter).limit(2).into(new ArrayList<>()));
    if (found.size() > 1) {
      throw new StoreRefusedException(
          "collection %s has the id %s twice, as string and as ObjectId"
              .formatted(shape.name(), id),
          "change one of the two ids");
    }
    return found.stream().map(documents::toRecord).findFirst();
  }

  @Override
  public RecordWriteResult insert(StoredRecord added) {
    // The id is stored as text; the same text may already be the id of an ObjectId document.
    if (DocumentIds.toObjectId(added.id()).isPresent() && read(added.id()).isPresent()) {
      return new Conflict();
    }
    Document stored = documents.toDocument(added.fields());
    stored.append(shape.idField(), added.id().value());
    return writeUnlessFenced(
        SealedFields.NONE,
        added.fields(),
        () -> {
          documents.collection().insertOne(stored);
          return new Stored();
        });
  }

  @Override
  public RecordWriteResult compareAndSet(RecordChange change) {
    Document unchanged = documents.unchangedFilter(change.before());
    Document next = new Document("$set", documents.toDocument(change.after()));
    UpdateOptions options = new UpdateOptions().collation(documents.collation());
    return writeUnlessFenced(
        change.before().fields(),
        change.after(),
        () ->
            documents.collection().updateOne(unchanged, next, options).getMatchedCount() == 1
                ? new Stored()
                : new Conflict());
  }

  @Override
  public List<RecordWriteResult> compareAndSetAll(List<RecordChange> changes) {
    return batchWriter.write(changes);
  }

  @Override
  public DeleteResult delete(StoredRecord expected) {
    DeleteOptions options = new DeleteOptions().collation(documents.collation());
    return MongoErrors.translateWrite(
        () ->
            documents
                        .collection()
                        .deleteOne(documents.unchangedFilter(expected), options)
                        .getDeletedCount()
                    == 1
                ? new Deleted()
                : new Conflict(),
        new Unknown());
  }

  /// One pass in the order of ids. A record that needs a version during the whole pass is counted
  /// under it; a record that changes meanwhile is counted as before or after. So a zero is true:
  /// behind a fence no record returns to a version that it left. A mislabelled field counts under
  /// its envelope's version and also as unreadable, because it deceives the server's validator.
  @Override
  public Census census() {
    fence.reinstallIfChanged();
    CensusCounter counter = new CensusCounter();
    return MongoErrors.translate(() -> {
      documents.refuseUnsupportedIds();
      documents.walk(
          "",
          document -> {
            SealedFields fields = documents.toRecord(document).fields();
            counter.add(fields.versions(), 1);
            boolean isUnreadable = fields.hasUnreadable() || documents.isMislabelled(document);
            counter.addUnreadable(isUnreadable ? 1 : 0);
            counter.addMismatched(documents.isMismatched(document) ? 1 : 0);
            return true;
          });
      return counter.toCensus();
    });
  }

  @Override
  public FenceResult fence(Fence next) {
    return fence.raise(next);
  }

  @Override
  public FenceResult replaceFence(Fence held, Fence next) {
    return fence.replace(held, next);
  }

  @Override
  public Optional<Fence> fence() {
    return MongoErrors.translate(fence::current);
  }

  private RecordWriteResult writeUnlessFenced(
      SealedFields before, SealedFields after, Supplier<RecordWriteResult> write) {
    Optional<Fence> forbidding = fence.forbiddingFence(before, after);
    if (forbidding.isPresent()) {
      return new Fenced(forbidding.get());
    }
    return MongoErrors.translateWrite(
        () -> {
          try {
            return write.get();
          } catch (MongoException e) {
            return switch (e.getCode()) {
              case MongoErrors.DUPLICATE_KEY -> new Conflict();
              case MongoErrors.VALIDATION -> new Fenced(fence.refusingFence(before, after));
              default -> throw e;
            };
          }
        },
        new Unknown());
  }
}
