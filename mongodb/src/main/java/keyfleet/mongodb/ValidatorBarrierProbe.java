package keyfleet.mongodb;

import com.mongodb.MongoException;
import com.mongodb.ReadConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Projections;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.bson.Document;
import org.bson.types.ObjectId;

/// Finds out whether `collMod` is a barrier: whether no write that began under the earlier
/// validator becomes visible after the server has acknowledged the new one. Some servers enforce
/// validators and let such a write land later; a fence on them would miss it.
///
/// Writers insert documents that the new rule forbids, until the server refuses one. The documents
/// that a read finds right after the new rule must be all that are ever there. A race can miss a
/// server without barrier, so there are several rounds; it never accuses a server that has one.
final class ValidatorBarrierProbe {
  static final String FIELD = "kv";

  private static final int ROUNDS = 3;
  private static final int WRITERS = 3;
  private static final int BATCH = 50;

  /// Far more than a server accepts before the rule arrives.
  private static final int MAX_BATCHES = 200;

  private static final Duration LIMIT = Duration.ofSeconds(20);

  /// Changes the scratch collection's rule: which values of [#FIELD] it allows.
  interface RuleSetter {
    void allow(List<Integer> values);
  }

  private static final int ALLOWED = 1;
  private static final int FORBIDDEN = 2;

  private final MongoCollection<Document> scratch;
  private final RuleSetter rules;

  ValidatorBarrierProbe(MongoCollection<Document> scratch, RuleSetter rules) {
    this.scratch = scratch.withReadConcern(ReadConcern.LOCAL);
    this.rules = rules;
  }

  boolean isBarrier() {
    for (int round = 0; round < ROUNDS; round++) {
      if (!holdsInOneRound()) {
        return false;
      }
    }
    return true;
  }

  private boolean holdsInOneRound() {
    rules.allow(List.of(ALLOWED, FORBIDDEN));
    CountDownLatch writing = new CountDownLatch(WRITERS);
    List<Thread> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      writers.add(
          Thread.ofVirtual()
              .name("mongodb-barrier-probe")
              .start(() -> insertUntilRefused(writing)));
    }
    try {
      boolean haveBegun = writing.await(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      rules.allow(List.of(ALLOWED));
      Set<Object> visible = findForbidden();
      boolean haveEnded = true;
      for (Thread writer : writers) {
        haveEnded &= writer.join(LIMIT);
      }
      // Without a document in the collection the round shows nothing.
      return haveBegun && haveEnded && !visible.isEmpty() && visible.containsAll(findForbidden());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void insertUntilRefused(CountDownLatch writing) {
    try {
      for (int batch = 0; batch < MAX_BATCHES; batch++) {
        scratch.insertMany(forbiddenDocuments());
        writing.countDown();
      }
    } catch (MongoException e) {
      // The new rule refuses the batch. Any other failure ends this writer too.
    } finally {
      writing.countDown();
    }
  }

  private static List<Document> forbiddenDocuments() {
    List<Document> documents = new ArrayList<>();
    for (int i = 0; i < BATCH; i++) {
      documents.add(new Document("_id", new ObjectId()).append(FIELD, FORBIDDEN));
    }
    return documents;
  }

  private Set<Object> findForbidden() {
    Set<Object> ids = new HashSet<>();
    scratch
        .find(new Document(FIELD, FORBIDDEN))
        .projection(Projections.include("_id"))
        .forEach(it -> ids.add(it.get("_id")));
    return ids;
  }
}
