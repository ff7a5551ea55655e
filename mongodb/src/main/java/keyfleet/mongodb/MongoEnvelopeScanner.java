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

/// Looks for envelopes in every collection of a database. The server can search only fields that a
/// query names, so the scanner reads every document, in batches; the server's time limit applies to
/// each batch.
final class MongoEnvelopeScanner {
  private static final int BATCH = 500;
  private static final String OWN_PREFIX = "keyfleet.";

  private final MongoDatabase database;
  private final MongoBucketRegistry buckets;
  private final Scope scope;
  private final EnvelopeScanBuilder result = new EnvelopeScanBuilder();

  MongoEnvelopeScanner(MongoDatabase database, MongoBucketRegistry buckets, Scope scope) {
    // With a stronger concern a primary returns only the first batch, and a scan needs none.
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
    result.skip("system collections", "they belong to the server");
    result.skip("other databases of this server", "not named by the URL");
    return result.build();
  }

  private void scanOrSkip(String name, String type) {
    if (name.startsWith("system.")) {
      return;
    }
    if (type.equals("view") || type.equals("timeseries")) {
      result.skip(
          type + " " + name,
          type.equals("view") ? "its documents come from collections" : "it cannot be fenced");
    } else if (name.startsWith(OWN_PREFIX) || MongoErrors.translate(() -> buckets.isBucket(name))) {
      result.skip("Keyfleet's own collections", "they contain no records");
    } else {
      scanCollection(name);
    }
  }

  /// A collection that may not be read does not stop the scan.
  private void scanCollection(String name) {
    DocumentEnvelopeScanner document =
        new DocumentEnvelopeScanner(name, declaredFields(name), result);
    try {
      MongoErrors.translate(() -> {
        long scanned = 0;
        try (MongoCursor<Document> found = documents(name).cursor()) {
          while (found.hasNext() && scanned < scope.maxRows()) {
            document.scan(found.next());
            scanned++;
          }
          if (found.hasNext()) {
            result.skipRest(name, scope.maxRows());
          }
        }
        return scanned;
      });
    } catch (StoreRefusedException e) {
      result.addFailure("collection " + name, e.getMessage());
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
