package keyfleet.mongodb;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import keyfleet.crypto.KekVersion;
import keyfleet.store.CollectionShape;
import org.bson.Document;

/// A fence as a validator document: each sealed field is absent, or has a writable version in `kv`.
/// An application's own validator comes after it in the same `$and`.
record FenceValidator(CollectionShape shape) {
  private static final String AND = "$and";

  Document toDocument(SortedSet<KekVersion> writable, Document applicationRule) {
    List<Document> rules = new ArrayList<>();
    rules.add(fencePart(numbers(writable)));
    if (!applicationRule.isEmpty()) {
      rules.add(applicationRule);
    }
    return new Document(AND, rules);
  }

  /// The application's part of a validator, with or without a fence; empty if it has none.
  Document applicationPart(Document validator) {
    List<Document> rules = rules(validator);
    boolean hasFence = !rules.isEmpty() && isFencePart(rules.getFirst());
    if (!hasFence) {
      return validator;
    }
    return rules.size() > 1 ? rules.get(1) : new Document();
  }

  /// Arrays are refused: one item could have a writable version while another item has an old one.
  private Document fencePart(List<Integer> writable) {
    List<Document> fields = new ArrayList<>();
    for (String field : shape.sealedFields()) {
      Document absent = new Document(field, null);
      Document single =
          new Document(field, new Document("$not", new Document("$type", "array")))
              .append(field + "." + SealedSubdocument.VERSION, new Document("$in", writable))
              .append(field + "." + SealedSubdocument.ENVELOPE, new Document("$type", "binData"));
      fields.add(new Document("$or", List.of(absent, single)));
    }
    return new Document(AND, fields);
  }

  /// Recognizes a fence by its form, not by its fields: the collection's fields may have changed.
  private static boolean isFencePart(Document rule) {
    List<Document> fields = rules(rule);
    return !fields.isEmpty() && fields.stream().allMatch(FenceValidator::isFieldRule);
  }

  private static boolean isFieldRule(Document rule) {
    if (!rule.keySet().equals(Set.of("$or"))) {
      return false;
    }
    List<Document> branches = rule.getList("$or", Document.class);
    String field = branches.getFirst().keySet().iterator().next();
    Set<String> checked =
        Set.of(
            field,
            field + "." + SealedSubdocument.VERSION,
            field + "." + SealedSubdocument.ENVELOPE);
    return branches.size() == 2 && branches.getLast().keySet().equals(checked);
  }

  private static List<Document> rules(Document validator) {
    return validator.keySet().equals(Set.of(AND))
        ? validator.getList(AND, Document.class)
        : List.of();
  }

  static List<Integer> numbers(SortedSet<KekVersion> versions) {
    return versions.stream().map(KekVersion::number).toList();
  }
}
