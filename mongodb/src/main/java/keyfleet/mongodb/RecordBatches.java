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
final class RecordBatches {
  /// Small enough for a slow server to answer within the limit.
  private static final int MAX_BATCH = 200;

  private static final BulkWriteOptions EACH_BY_ITSELF = new BulkWriteOptions().ordered(false);

  private final RecordDocuments documents;
  private final MongoFences fences;

  RecordBatches(RecordDocuments documents, MongoFences fences) {
    this.documents = documents;
    this.fences = fences;
  }

  List<RecordWriteResult> write(List<RecordChange> changes) {
    List<RecordWriteResult> writes = new ArrayList<>();
    for (int from = 0; from < changes.size(); from += MAX_BATCH) {
      List<RecordChange> batch = changes.subList(from, Math.min(changes.size(), from + MAX_BATCH));
      try {
        writes.addAll(batch(batch));
      } catch (StoreException e) {
        if (writes.isEmpty()) {
          throw e;
        }
        // Who is told so reads them back; an exception would hide that others were written.
        return padded(writes, changes.size());
      }
    }
    return List.copyOf(writes);
  }

  private static List<RecordWriteResult> padded(List<RecordWriteResult> writes, int size) {
    while (writes.size() < size) {
      writes.add(new Unknown());
    }
    return List.copyOf(writes);
  }

  /// What was refused without being sent is known at once; the rest is sent.
  private List<RecordWriteResult> batch(List<RecordChange> changes) {
    Map<RecordId, RecordWriteResult> known = new HashMap<>();
    for (RecordChange change : changes) {
      Optional<Fence> against = fences.against(change.from().fields(), change.to());
      against.ifPresent(it -> known.put(change.from().id(), new Fenced(it)));
    }
    List<RecordChange> sent =
        changes.stream().filter(it -> !known.containsKey(it.from().id())).toList();
    List<RecordWriteResult> endings =
        MongoTrouble.write(() -> send(sent), Collections.nCopies(sent.size(), new Unknown()));
    for (int i = 0; i < sent.size(); i++) {
      known.put(sent.get(i).from().id(), endings.get(i));
    }
    return changes.stream().map(it -> known.getOrDefault(it.from().id(), new Unknown())).toList();
  }

  private List<RecordWriteResult> send(List<RecordChange> changes) {
    if (changes.isEmpty()) {
      return List.of();
    }
    try {
      var result = documents.collection().bulkWrite(models(changes), EACH_BY_ITSELF);
      return endings(changes, result.getMatchedCount(), Map.of());
    } catch (MongoBulkWriteException e) {
      if (e.getWriteConcernError() != null) {
        return Collections.nCopies(changes.size(), new Unknown());
      }
      return endings(changes, e.getWriteResult().getMatchedCount(), refusals(changes, e));
    }
  }

  private List<UpdateOneModel<Document>> models(List<RecordChange> changes) {
    UpdateOptions options = new UpdateOptions().collation(RecordDocuments.BYTES);
    return changes.stream()
        .map(it ->
            new UpdateOneModel<Document>(
                documents.matching(it.from()),
                new Document("$set", documents.stored(it.to())),
                options))
        .toList();
  }

  private Map<Integer, RecordWriteResult> refusals(
      List<RecordChange> changes, MongoBulkWriteException e) {
    Map<Integer, RecordWriteResult> refusals = new HashMap<>();
    for (BulkWriteError error : e.getWriteErrors()) {
      RecordChange change = changes.get(error.getIndex());
      Optional<RecordWriteResult> fenced =
          error.getCode() == MongoTrouble.VALIDATION
              ? afterwards(fences::held)
                  .flatMap(it -> it)
                  .filter(it -> !it.allows(change.from().fields(), change.to()))
                  .map(Fenced::new)
              : Optional.empty();
      refusals.put(error.getIndex(), fenced.orElseGet(Unknown::new));
    }
    return refusals;
  }

  private List<RecordWriteResult> endings(
      List<RecordChange> changes, int matched, Map<Integer, RecordWriteResult> refusals) {
    if (matched == changes.size()) {
      return Collections.nCopies(matched, new Stored());
    }
    Optional<Map<RecordId, SealedFields>> found = afterwards(() -> readBack(changes));
    List<RecordWriteResult> endings = new ArrayList<>();
    int seen = 0;
    for (RecordChange change : changes) {
      boolean stored = found.isPresent() && change.to().equals(found.get().get(change.from().id()));
      seen += stored ? 1 : 0;
      endings.add(stored ? new Stored() : new Conflict());
    }
    // Some were changed and then changed again by others: which ones, nobody can say.
    boolean overtaken = seen < matched;
    endings.replaceAll(it -> overtaken && it instanceof Conflict ? new Unknown() : it);
    refusals.forEach(endings::set);
    return endings;
  }

  private Map<RecordId, SealedFields> readBack(List<RecordChange> changes) {
    Map<RecordId, SealedFields> found = new HashMap<>();
    for (Document document : documents.find(changes.stream().map(it -> it.from().id()).toList())) {
      var record = documents.record(document);
      found.put(record.id(), record.fields());
    }
    return found;
  }

  /// Nothing if the read fails: the writes before it have happened, so they must not seem to have
  /// failed with it.
  private static <T> Optional<T> afterwards(Supplier<T> read) {
    try {
      return Optional.of(read.get());
    } catch (MongoException e) {
      return Optional.empty();
    }
  }
}
