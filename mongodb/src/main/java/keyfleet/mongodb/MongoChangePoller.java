package keyfleet.mongodb;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static keyfleet.mongodb.BucketDocuments.AT;
import static keyfleet.mongodb.BucketDocuments.ID;
import static keyfleet.mongodb.BucketDocuments.REVISION;

import com.mongodb.ReadConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Projections;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import keyfleet.store.ChangeHint;
import keyfleet.store.ChangeHint.Changed;
import keyfleet.store.ChangeHint.Missed;
import keyfleet.store.Key;
import keyfleet.store.Prefix;
import org.bson.Document;

/// What changed in a branch of a bucket since it was last asked, found by the server's times in its
/// documents. Deletions are among them: they leave a document.
///
/// The times of two writes may be the other way round than the writes, so each poll looks a little
/// further back than the last one reached and leaves out what that one saw.
final class MongoChangePoller {
  private static final Duration OVERLAP = Duration.ofSeconds(2);

  /// More than this in one poll is not told one by one.
  private static final int MAX_CHANGES = 10_000;

  private final MongoCollection<Document> documents;
  private final Prefix prefix;
  private Map<String, Long> seen = new HashMap<>();
  private Instant lastPoll = Instant.EPOCH;

  MongoChangePoller(MongoCollection<Document> documents, Prefix prefix) {
    this.documents = documents.withReadConcern(ReadConcern.LOCAL);
    this.prefix = prefix;
  }

  /// Nothing before `now` counts.
  void start(Instant now) {
    lastPoll = now;
    find(now).forEach(it -> seen.put(it.getString(ID), it.getLong(REVISION)));
  }

  List<ChangeHint> poll(Instant now) {
    Duration elapsed = Duration.between(lastPoll, now);
    boolean clockWentBack = elapsed.isNegative();
    boolean tombstonesMayBeSwept =
        elapsed.compareTo(MongoBucketRegistry.TOMBSTONE_LIFETIME.dividedBy(2)) > 0;
    List<Document> found = find(clockWentBack ? now : lastPoll);
    boolean tooMany = found.size() > MAX_CHANGES;
    List<ChangeHint> changeHints = new ArrayList<>();
    if (clockWentBack || tombstonesMayBeSwept || tooMany) {
      changeHints.add(new Missed());
    }
    Map<String, Long> known = seen;
    seen = new HashMap<>();
    lastPoll = now;
    for (Document document : found) {
      String key = document.getString(ID);
      long revision = document.getLong(REVISION);
      seen.put(key, revision);
      if (!tooMany && revision > 0 && !Long.valueOf(revision).equals(known.get(key))) {
        changeHints.add(new Changed(new Key(key)));
      }
    }
    return changeHints;
  }

  private List<Document> find(Instant since) {
    Document filter = new Document(AT, new Document("$gt", since.minus(OVERLAP)));
    if (!prefix.value().isEmpty()) {
      filter.append(ID, MongoKv.upperBound(prefix).append("$gte", prefix.value()));
    }
    return documents
        .find(filter)
        .projection(Projections.include(ID, REVISION))
        .limit(MAX_CHANGES + 1)
        .maxTime(MongoSettings.SERVER_LIMIT.toMillis(), MILLISECONDS)
        .into(new ArrayList<>());
  }
}
