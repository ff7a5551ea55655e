package keyfleet.mongodb;

import com.mongodb.MongoException;
import com.mongodb.client.model.DeleteOptions;
import com.mongodb.client.model.UpdateOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Census;
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

/// The records of an application's collection. Every judgement is by the envelopes themselves, so a
/// scan and a census read them all: `kv` is only what a writer says, and an index of it would hide
/// who says it wrongly.
final class MongoRecords implements Records {
  private final CollectionShape shape;
  private final RecordDocuments documents;
  private final MongoFence fences;
  private final RecordBatchWriter batches;

  MongoRecords(CollectionShape shape, RecordDocuments documents, MongoFence fences) {
    this.shape = shape;
    this.documents = documents;
    this.fences = fences;
    this.batches = new RecordBatchWriter(documents, fences);
  }

  @Override
  public List<StoredRecord> scan(KekVersion version, int limit) {
    return scanAfter(version, "", limit);
  }

  @Override
  public List<StoredRecord> scan(KekVersion version, RecordId after, int limit) {
    return scanAfter(version, after.value(), limit);
  }

  private List<StoredRecord> scanAfter(KekVersion version, String after, int limit) {
    List<StoredRecord> found = new ArrayList<>();
    MongoErrors.translate(() -> {
      documents.walk(
          after,
          document -> {
            StoredRecord record = documents.toRecord(document);
            if (record.fields().lowest().equals(Optional.of(version))) {
              found.add(record);
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
          "collection %s has both the string and the ObjectId %s".formatted(shape.name(), id),
          "rename one of them");
    }
    return found.stream().map(documents::toRecord).findFirst();
  }

  @Override
  public RecordWriteResult insert(StoredRecord added) {
    // As text, unless the same text names an ObjectId already.
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
  public RecordWriteResult compareAndSet(RecordChange recordChange) {
    Document unchanged = documents.unchangedFilter(recordChange.before());
    Document next = new Document("$set", documents.toDocument(recordChange.after()));
    UpdateOptions options = new UpdateOptions().collation(RecordDocuments.BYTES);
    return writeUnlessFenced(
        recordChange.before().fields(),
        recordChange.after(),
        () ->
            documents.collection().updateOne(unchanged, next, options).getMatchedCount() == 1
                ? new Stored()
                : new Conflict());
  }

  @Override
  public List<RecordWriteResult> compareAndSetAll(List<RecordChange> recordChanges) {
    return batches.write(recordChanges);
  }

  @Override
  public DeleteResult delete(StoredRecord expected) {
    DeleteOptions options = new DeleteOptions().collation(RecordDocuments.BYTES);
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

  /// One pass in the order of ids. A record that needs a version throughout is counted under it;
  /// one that is written meanwhile, as it was or as it is. So zero is zero: behind a fence no
  /// record comes back to a version it left. A mislabelled field counts under its envelope's
  /// version, and as unreadable besides, since the server's own rule is deceived by it.
  @Override
  public Census census() {
    fences.reinstallIfChanged();
    MongoCensusCounter count = new MongoCensusCounter();
    return MongoErrors.translate(() -> {
      documents.refuseForeignIds();
      documents.walk(
          "",
          document -> {
            count.add(documents.toRecord(document), documents.isMislabelled(document));
            return true;
          });
      return count.toCensus();
    });
  }

  @Override
  public FenceResult fence(Fence fence) {
    return fences.raise(fence);
  }

  @Override
  public Optional<Fence> fence() {
    return MongoErrors.translate(fences::current);
  }

  private RecordWriteResult writeUnlessFenced(
      SealedFields before, SealedFields after, Supplier<RecordWriteResult> write) {
    Optional<Fence> forbidding = fences.forbidding(before, after);
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
              case MongoErrors.VALIDATION -> new Fenced(fences.refusingFence(before, after));
              default -> throw e;
            };
          }
        },
        new Unknown());
  }
}
