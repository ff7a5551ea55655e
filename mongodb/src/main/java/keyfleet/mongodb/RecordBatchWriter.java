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

/// Writes many compare-and-sets in one command. The server returns how many matched, but not which;
/// if some did not match, the writer reads the records back. No two envelopes are equal, so a
/// record that equals the result of its change was changed by it.
final class RecordBatchWriter {
  /// Small enough for a slow server to respond within the limit.
  private static final int MAX_BATCH = 200;

  private static final BulkWriteOptions UNORDERED = new BulkWriteOptions().ordered(false);

  private final RecordDocuments documents;
  private final MongoFence fence;

  RecordBatchWriter(RecordDocuments documents, MongoFence fence) {
    this.documents = documents;
    this.fence = fence;
  }

  List<RecordWriteResult> write(List<RecordChange> changes) {
    List<RecordWriteResult> results = new ArrayList<>();
    for (int from = 0; from < changes.size(); from += MAX_BATCH) {
      List<RecordChange> batch = changes.subList(from, Math.min(changes.size(), from + MAX_BATCH));
      try {
        results.addAll(writeBatch(batch));
      } catch (StoreException e) {
        if (results.isEmpty()) {
          throw e;
        }
        // The caller reads unknown ones back; an exception would hide that others were written.
        return padWithUnknown(results, changes.size());
      }
    }
    return List.copyOf(results);
  }

  private static List<RecordWriteResult> padWithUnknown(List<RecordWriteResult> results, int size) {
    while (results.size() < size) {
      results.add(new Unknown());
    }
    return List.copyOf(results);
  }

  /// Sends only the changes that the known fence allows.
  private List<RecordWriteResult> writeBatch(List<RecordChange> changes) {
    Map<RecordId, RecordWriteResult> known = new HashMap<>();
    for (RecordChange change : changes) {
      Optional<Fence> forbidding = fence.forbiddingFence(change.before().fields(), change.after());
      forbidding.ifPresent(it -> known.put(change.before().id(), new Fenced(it)));
    }
    List<RecordChange> sent =
        changes.stream().filter(it -> !known.containsKey(it.before().id())).toList();
    List<RecordWriteResult> outcomes =
        MongoErrors.translateWrite(
            () -> send(sent), Collections.nCopies(sent.size(), new Unknown()));
    for (int i = 0; i < sent.size(); i++) {
      known.put(sent.get(i).before().id(), outcomes.get(i));
    }
    return changes.stream().map(it -> known.getOrDefault(it.before().id(), new Unknown())).toList();
  }

  private List<RecordWriteResult> send(List<RecordChange> changes) {
    if (changes.isEmpty()) {
      return List.of();
    }
    try {
      var result = documents.collection().bulkWrite(toModels(changes), UNORDERED);
      return toOutcomes(changes, result.getMatchedCount(), Map.of());
    } catch (MongoBulkWriteException e) {
      if (e.getWriteConcernError() != null) {
        return Collections.nCopies(changes.size(), new Unknown());
      }
      return toOutcomes(changes, e.getWriteResult().getMatchedCount(), toRefusals(changes, e));
    }
  }

  private List<UpdateOneModel<Document>> toModels(List<RecordChange> changes) {
    UpdateOptions options = new UpdateOptions().collation(documents.collation());
    return changes.stream()
        .map(it ->
            new UpdateOneModel<Document>(
                documents.unchangedFilter(it.before()),
                new Document("$set", documents.toDocument(it.after())),
                options))
        .toList();
  }

  private Map<Integer, RecordWriteResult> toRefusals(
      List<RecordChange> changes, MongoBulkWriteException e) {
    Map<Integer, RecordWriteResult> refusals = new HashMap<>();
    for (BulkWriteError error : e.getWriteErrors()) {
      RecordChange change = changes.get(error.getIndex());
      Optional<RecordWriteResult> fenced =
          error.getCode() == MongoErrors.VALIDATION
              ? readAfterWrite(fence::current)
                  .flatMap(it -> it)
                  .filter(it -> !it.isChangeAllowed(change.before().fields(), change.after()))
                  .map(Fenced::new)
              : Optional.empty();
      refusals.put(error.getIndex(), fenced.orElseGet(Unknown::new));
    }
    return refusals;
  }

  private List<RecordWriteResult> toOutcomes(
      List<RecordChange> changes, int matched, Map<Integer, RecordWriteResult> refusals) {
    if (matched == changes.size()) {
      return Collections.nCopies(matched, new Stored());
    }
    Optional<Map<RecordId, SealedFields>> found = readAfterWrite(() -> readBack(changes));
    List<RecordWriteResult> outcomes = new ArrayList<>();
    int confirmed = 0;
    for (RecordChange change : changes) {
      boolean isStored =
          found.isPresent() && change.after().equals(found.get().get(change.before().id()));
      confirmed += isStored ? 1 : 0;
      outcomes.add(isStored ? new Stored() : new Conflict());
    }
    // Others changed some records again after this batch; it is unknown which ones.
    boolean isOvertaken = confirmed < matched;
    outcomes.replaceAll(it -> isOvertaken && it instanceof Conflict ? new Unknown() : it);
    refusals.forEach(outcomes::set);
    return outcomes;
  }

  private Map<RecordId, SealedFields> readBack(List<RecordChange> changes) {
    Map<RecordId, SealedFields> found = new HashMap<>();
    for (Document document :
        documents.find(changes.stream().map(it -> it.before().id()).toList())) {
      var record = documents.toRecord(document);
      found.put(record.id(), record.fields());
    }
    return found;
  }

  /// Empty if the read fails: the writes before it have happened, so the read must not make them
  /// look failed.
  private static <T> Optional<T> readAfterWrite(Supplier<T> read) {
    try {
      return Optional.of(read.get());
    } catch (MongoException e) {
      return Optional.empty();
    }
  }
}
