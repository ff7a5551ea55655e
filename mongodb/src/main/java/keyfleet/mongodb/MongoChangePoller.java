package keyfleet.mongodb;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
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

/// Finds the changes below a prefix of a bucket since the last poll, by the server's times in the
/// documents. It finds deletions too, because they leave a tombstone.
///
/// The times of two writes may be in another order than the writes. So each poll reads a little
/// further back than the end of the last poll, and skips what that poll has reported.
final class MongoChangePoller {
  private static final Duration OVERLAP = Duration.ofSeconds(2);

  /// If a poll finds more changes, it reports one `Missed` instead of each change.
  private static final int MAX_CHANGES = 10_000;

  private final MongoCollection<Document> documents;
  private final String stamp;
  private final Prefix prefix;
  private Map<String, Long> seen = new HashMap<>();
  private Instant lastPoll = Instant.EPOCH;

  MongoChangePoller(BucketDocuments documents, Prefix prefix) {
    this.documents = documents.collection().withReadConcern(ReadConcern.LOCAL);
    this.stamp = BucketDocuments.stampField(documents.bucket());
    this.prefix = prefix;
  }

  /// Later polls report changes after `now`.
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
    List<ChangeHint> hints = new ArrayList<>();
    if (clockWentBack || tombstonesMayBeSwept || tooMany) {
      hints.add(new Missed());
    }
    Map<String, Long> known = seen;
    seen = new HashMap<>();
    lastPoll = now;
    for (Document document : found) {
      String key = document.getString(ID);
      long revision = document.getLong(REVISION);
      seen.put(key, revision);
      if (!tooMany && revision > 0 && !Long.valueOf(revision).equals(known.get(key))) {
        hints.add(new Changed(new Key(key)));
      }
    }
    return hints;
  }

  private List<Document> find(Instant since) {
    Document filter = new Document(stamp, new Document("$gt", since.minus(OVERLAP)));
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
