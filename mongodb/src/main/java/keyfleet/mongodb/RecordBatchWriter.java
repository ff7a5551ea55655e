package keyfleet.mongodb;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.store.Conflict;
import keyfleet.store.Fence;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.RecordWriteResult.Fenced;
import keyfleet.store.RecordWriteResult.Stored;
import keyfleet.store.SealedFields;
import keyfleet.store.StoreException;
import keyfleet.store.Unknown;
import org.bson.Document;

/// Many compare-and-sets in one command. The server counts how many of them matched, but does not
/// say which; where some did not, the records are read back. No two envelopes are alike, so a
/// record that is as its change would leave it was changed by it.
final class RecordBatchWriter {
  /// Small enough for a slow server to answer within the limit.
  private static final int MAX_BATCH = 200;

  private static final BulkWriteOptions UNORDERED = new BulkWriteOptions().ordered(false);

  private final RecordDocuments documents;
  private final MongoFence fences;

  RecordBatchWriter(RecordDocuments documents, MongoFence fences) {
    this.documents = documents;
    this.fences = fences;
  }

  List<RecordWriteResult> write(List<RecordChange> recordChanges) {
    List<RecordWriteResult> writes = new ArrayList<>();
    for (int from = 0; from < recordChanges.size(); from += MAX_BATCH) {
      List<RecordChange> batch =
          recordChanges.subList(from, Math.min(recordChanges.size(), from + MAX_BATCH));
      try {
        writes.addAll(writeBatch(batch));
      } catch (StoreException e) {
        if (writes.isEmpty()) {
          throw e;
        }
        // Who is told so reads them back; an exception would hide that others were written.
        return padWithUnknown(writes, recordChanges.size());
      }
    }
    return List.copyOf(writes);
  }

  private static List<RecordWriteResult> padWithUnknown(List<RecordWriteResult> writes, int size) {
    while (writes.size() < size) {
      writes.add(new Unknown());
    }
    return List.copyOf(writes);
  }

  /// What was refused without being sent is known at once; the rest is sent.
  private List<RecordWriteResult> writeBatch(List<RecordChange> recordChanges) {
    Map<RecordId, RecordWriteResult> known = new HashMap<>();
    for (RecordChange recordChange : recordChanges) {
      Optional<Fence> forbidding =
          fences.forbidding(recordChange.before().fields(), recordChange.after());
      forbidding.ifPresent(it -> known.put(recordChange.before().id(), new Fenced(it)));
    }
    List<RecordChange> sent =
        recordChanges.stream().filter(it -> !known.containsKey(it.before().id())).toList();
    List<RecordWriteResult> outcomes =
        MongoErrors.translateWrite(
            () -> send(sent), Collections.nCopies(sent.size(), new Unknown()));
    for (int i = 0; i < sent.size(); i++) {
      known.put(sent.get(i).before().id(), outcomes.get(i));
    }
    return recordChanges.stream()
        .map(it -> known.getOrDefault(it.before().id(), new Unknown()))
        .toList();
  }

  private List<RecordWriteResult> send(List<RecordChange> recordChanges) {
    if (recordChanges.isEmpty()) {
      return List.of();
    }
    try {
      var result = documents.collection().bulkWrite(toModels(recordChanges), UNORDERED);
      return toOutcomes(recordChanges, result.getMatchedCount(), Map.of());
    } catch (MongoBulkWriteException e) {
      if (e.getWriteConcernError() != null) {
        return Collections.nCopies(recordChanges.size(), new Unknown());
      }
      return toOutcomes(
          recordChanges, e.getWriteResult().getMatchedCount(), toRefusals(recordChanges, e));
    }
  }

  private List<UpdateOneModel<Document>> toModels(List<RecordChange> recordChanges) {
    UpdateOptions options = new UpdateOptions().collation(RecordDocuments.BYTES);
    return recordChanges.stream()
        .map(it ->
            new UpdateOneModel<Document>(
                documents.unchangedFilter(it.before()),
                new Document("$set", documents.toDocument(it.after())),
                options))
        .toList();
  }

  private Map<Integer, RecordWriteResult> toRefusals(
      List<RecordChange> recordChanges, MongoBulkWriteException e) {
    Map<Integer, RecordWriteResult> refusals = new HashMap<>();
    for (BulkWriteError error : e.getWriteErrors()) {
      RecordChange recordChange = recordChanges.get(error.getIndex());
      Optional<RecordWriteResult> fenced =
          error.getCode() == MongoErrors.VALIDATION
              ? readAfterWrite(fences::current)
                  .flatMap(it -> it)
                  .filter(it -> !it.allows(recordChange.before().fields(), recordChange.after()))
                  .map(Fenced::new)
              : Optional.empty();
      refusals.put(error.getIndex(), fenced.orElseGet(Unknown::new));
    }
    return refusals;
  }

  private List<RecordWriteResult> toOutcomes(
      List<RecordChange> recordChanges, int matched, Map<Integer, RecordWriteResult> refusals) {
    if (matched == recordChanges.size()) {
      return Collections.nCopies(matched, new Stored());
    }
    Optional<Map<RecordId, SealedFields>> found = readAfterWrite(() -> readBack(recordChanges));
    List<RecordWriteResult> outcomes = new ArrayList<>();
    int confirmed = 0;
    for (RecordChange recordChange : recordChanges) {
      boolean isStored =
          found.isPresent()
              && recordChange.after().equals(found.get().get(recordChange.before().id()));
      confirmed += isStored ? 1 : 0;
      outcomes.add(isStored ? new Stored() : new Conflict());
    }
    // Some were changed and then changed again by others: which ones, nobody can say.
    boolean isOvertaken = confirmed < matched;
    outcomes.replaceAll(it -> isOvertaken && it instanceof Conflict ? new Unknown() : it);
    refusals.forEach(outcomes::set);
    return outcomes;
  }

  private Map<RecordId, SealedFields> readBack(List<RecordChange> recordChanges) {
    Map<RecordId, SealedFields> found = new HashMap<>();
    for (Document document :
        documents.find(recordChanges.stream().map(it -> it.before().id()).toList())) {
      var record = documents.toRecord(document);
      found.put(record.id(), record.fields());
    }
    return found;
  }

  /// Nothing if the read fails: the writes before it have happened, so they must not seem to have
  /// failed with it.
  private static <T> Optional<T> readAfterWrite(Supplier<T> read) {
    try {
      return Optional.of(read.get());
    } catch (MongoException e) {
      return Optional.empty();
    }
  }
}
