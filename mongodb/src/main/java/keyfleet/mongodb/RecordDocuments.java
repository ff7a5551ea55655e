package keyfleet.mongodb;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Collation;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.Sorts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Bytes;
import keyfleet.store.CollectionShape;
import keyfleet.store.RecordId;
import keyfleet.store.SealedFields;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.StoredRecord;
import org.bson.Document;
import org.bson.types.Binary;
import org.jspecify.annotations.Nullable;

/// The ids and sealed fields of the documents in an application's collection. Exceptions of the
/// driver pass through.
final class RecordDocuments {
  /// Compares ids byte by byte.
  private static final Collation BYTES = Collation.builder().locale("simple").build();

  private static final int PAGE = 500;

  private final MongoCollection<Document> documents;
  private final CollectionShape shape;
  private final @Nullable Collation collation;

  /// @param hasOwnCollation whether the collection compares texts in a way of its own, which may
  ///   ignore case. Only then a command names a collation: some servers support none.
  RecordDocuments(
      MongoCollection<Document> documents, CollectionShape shape, boolean hasOwnCollation) {
    this.documents = documents;
    this.shape = shape;
    this.collation = hasOwnCollation ? BYTES : null;
  }

  /// For updates and deletions; null means that of the collection.
  @Nullable Collation collation() {
    return collation;
  }

  MongoCollection<Document> collection() {
    return documents;
  }

  /// Passes each document after that id to `visitor`, in the order of ids, until it returns false.
  /// Each page is a separate read: a document that keeps its id is visited exactly once.
  void walk(String after, Predicate<Document> visitor) {
    String last = after;
    List<Document> page;
    do {
      page = readPage(last);
      for (Document document : page) {
        if (!visitor.test(document)) {
          return;
        }
      }
      last = page.isEmpty() ? last : idOf(page.getLast()).value();
    } while (page.size() == PAGE);
  }

  /// Strings and ObjectIds are two ranges of the index; reads both and merges them.
  private List<Document> readPage(String after) {
    List<Document> page = readRange(DocumentIds.stringsAfter(after));
    DocumentIds.objectIdsAfter(after).ifPresent(it -> page.addAll(readRange(it)));
    page.sort((one, other) -> DocumentIds.ORDER.compare(idOf(one), idOf(other)));
    return page.subList(0, Math.min(page.size(), PAGE));
  }

  private List<Document> readRange(Document ids) {
    return find(new Document(shape.idField(), ids))
        .sort(Sorts.ascending(shape.idField()))
        .limit(PAGE)
        .batchSize(PAGE)
        .into(new ArrayList<>());
  }

  FindIterable<Document> find(Document filter) {
    List<String> fields = new ArrayList<>(shape.sealedFields());
    fields.add(shape.idField());
    shape.versionField().ifPresent(fields::add);
    return documents
        .find(filter)
        .projection(Projections.include(fields))
        .collation(collation)
        .maxTime(MongoSettings.SERVER_LIMIT.toMillis(), MILLISECONDS);
  }

  FindIterable<Document> find(List<RecordId> ids) {
    List<Object> any = new ArrayList<>();
    for (RecordId id : ids) {
      any.add(id.value());
      DocumentIds.toObjectId(id).ifPresent(any::add);
    }
    return find(new Document(shape.idField(), new Document("$in", any)));
  }

  /// Throws if a document has an id that is neither a string nor an ObjectId: a scan would never
  /// return it.
  void refuseUnsupportedIds() {
    Document unsupported =
        new Document(
            "$or",
            List.of(
                new Document(shape.idField(), null),
                new Document(shape.idField(), ""),
                new Document(
                    shape.idField(), new Document("$type", DocumentIds.UNSUPPORTED_TYPES))));
    Document found = find(unsupported).first();
    if (found != null) {
      throw new StoreRefusedException(
          "collection %s has a document whose %s is neither an ObjectId nor a string: %s"
              .formatted(shape.name(), shape.idField(), typeOf(found.get(shape.idField()))),
          "declare another field as the collection's id");
    }
  }

  private static String typeOf(@Nullable Object id) {
    return id == null ? "no value" : id.getClass().getSimpleName();
  }

  RecordId idOf(Document found) {
    Object id = found.get(shape.idField());
    if (id == null) {
      throw new IllegalStateException("a document without " + shape.idField() + " was read");
    }
    return DocumentIds.toRecordId(id);
  }

  StoredRecord toRecord(Document found) {
    Map<String, Bytes> fields = new TreeMap<>();
    for (String name : shape.sealedFields()) {
      new SealedSubdocument(found.get(name)).bytes().ifPresent(it -> fields.put(name, it));
    }
    return new StoredRecord(idOf(found), SealedFields.of(fields));
  }

  boolean isMislabelled(Document found) {
    return shape.sealedFields().stream()
        .anyMatch(name -> new SealedSubdocument(found.get(name)).isMislabelled());
  }

  /// Whether the version field is not the lowest version of the document.
  boolean isMismatched(Document found) {
    if (shape.versionField().isEmpty()) {
      return false;
    }
    Optional<Integer> lowest = lowestVersion(toRecord(found).fields());
    return switch (found.get(shape.versionField().get())) {
      case null -> lowest.isPresent();
      case Number number -> lowest.isEmpty() || number.doubleValue() != lowest.get();
      default -> true;
    };
  }

  /// A filter that matches the document only if all of its sealed fields are as in `expected`.
  Document unchangedFilter(StoredRecord expected) {
    Document filter = new Document(shape.idField(), DocumentIds.filterFor(expected.id()));
    Map<String, Bytes> fields = requireDeclared(expected.fields());
    for (String name : shape.sealedFields()) {
      Bytes bytes = fields.get(name);
      if (bytes == null) {
        filter.append(name, null);
      } else {
        filter.append(name + "." + SealedSubdocument.ENVELOPE, new Binary(bytes.toArray()));
      }
    }
    return filter;
  }

  Document toDocument(SealedFields fields) {
    Document stored = new Document();
    requireDeclared(fields)
        .forEach((name, bytes) -> stored.append(name, SealedSubdocument.of(bytes)));
    shape.versionField().ifPresent(it -> stored.append(it, lowestVersion(fields).orElse(null)));
    return stored;
  }

  private static Optional<Integer> lowestVersion(SealedFields fields) {
    return fields.lowestVersion().map(KekVersion::number);
  }

  private Map<String, Bytes> requireDeclared(SealedFields fields) {
    if (!shape.sealedFields().containsAll(fields.byName().keySet())) {
      throw new IllegalArgumentException(
          "collection %s has sealed fields %s, not %s"
              .formatted(shape.name(), shape.sealedFields(), fields.byName().keySet()));
    }
    return fields.byName();
  }
}
