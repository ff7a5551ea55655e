package keyfleet.mongodb;

import com.mongodb.ReadConcern;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.MongoDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.store.CollectionShape;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.EnvelopeScan;
import keyfleet.store.engine.EnvelopeScan.Scope;
import keyfleet.store.engine.EnvelopeScanBuilder;
import org.bson.Document;

/// Looks through every collection of a database. The server cannot search fields that it is not
/// told by name, so every document is read, in batches; each must come within the limits of a read.
final class MongoEnvelopeScanner {
  private static final int BATCH = 500;
  private static final String OWN_PREFIX = "keyfleet.";

  private final MongoDatabase database;
  private final MongoBucketRegistry buckets;
  private final Scope scope;
  private final EnvelopeScanBuilder count = new EnvelopeScanBuilder();

  MongoEnvelopeScanner(MongoDatabase database, MongoBucketRegistry buckets, Scope scope) {
    // A primary gives batches after the first for no stronger concern, and a look needs none.
    this.database = database.withReadConcern(ReadConcern.LOCAL);
    this.buckets = buckets;
    this.scope = scope;
  }

  EnvelopeScan scan() {
    List<Document> listed =
        MongoErrors.translate(() -> database.listCollections().into(new ArrayList<>()));
    for (Document collection : listed) {
      scanOrSkip(collection.getString("name"), String.valueOf(collection.getString("type")));
    }
    count.skip("system collections", "they are the server's own");
    count.skip("other databases of this server", "a URL names one");
    return count.build();
  }

  private void scanOrSkip(String name, String type) {
    if (name.startsWith("system.")) {
      return;
    }
    if (type.equals("view") || type.equals("timeseries")) {
      count.skip(
          type + " " + name,
          type.equals("view") ? "its documents are those of collections" : "it cannot be fenced");
    } else if (name.startsWith(OWN_PREFIX) || MongoErrors.translate(() -> buckets.isBucket(name))) {
      count.skip("Keyfleet's own collections", "they hold no records");
    } else {
      scanCollection(name);
    }
  }

  /// One collection that may not be read keeps nobody from the others.
  private void scanCollection(String name) {
    DocumentEnvelopeScanner document =
        new DocumentEnvelopeScanner(name, declaredFields(name), count);
    try {
      MongoErrors.translate(() -> {
        long scanned = 0;
        try (MongoCursor<Document> found = documents(name).cursor()) {
          while (found.hasNext() && scanned < scope.maxRows()) {
            document.scan(found.next());
            scanned++;
          }
          if (found.hasNext()) {
            count.skipRest(name, scope.maxRows());
          }
        }
        return scanned;
      });
    } catch (StoreRefusedException e) {
      count.addFailure("collection " + name, e.getMessage());
    }
  }

  private FindIterable<Document> documents(String name) {
    return database.getCollection(name).find().batchSize((int) Math.min(BATCH, scope.maxRows()));
  }

  private Set<String> declaredFields(String collection) {
    Set<String> fields = new TreeSet<>();
    scope.declared().stream()
        .filter(it -> it.name().equals(collection))
        .map(CollectionShape::sealedFields)
        .forEach(fields::addAll);
    return fields;
  }
}
