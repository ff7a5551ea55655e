package keyfleet.store;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A table or collection of an application: its name, the column that identifies a record, and the
/// sealed columns.
///
/// @param versionFieldName the column beside the sealed ones in which the record's lowest version
///   is also written, if it has one. It is for people and for the application's queries; Keyfleet
///   decides by the versions inside the envelopes
public record CollectionShape(
    String name,
    String idField,
    SortedSet<String> sealedFields,
    @Nullable String versionFieldName) {
  /// Valid as one identifier in every engine. Engines quote it, which preserves case and hyphens.
  private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]{0,62}");

  public CollectionShape {
    check(name);
    check(idField);
    sealedFields.forEach(CollectionShape::check);
    if (sealedFields.isEmpty() || sealedFields.contains(idField)) {
      throw new IllegalArgumentException(
          "a collection has sealed fields other than its id; " + name + " has " + sealedFields);
    }
    if (versionFieldName != null) {
      check(versionFieldName);
      if (versionFieldName.equals(idField) || sealedFields.contains(versionFieldName)) {
        throw new IllegalArgumentException(
            "a collection has a version field other than its id and its sealed fields; %s has %s"
                .formatted(name, versionFieldName));
      }
    }
    sealedFields = Collections.unmodifiableSortedSet(new TreeSet<>(sealedFields));
  }

  /// A collection without a version field.
  public CollectionShape(String name, String idField, SortedSet<String> sealedFields) {
    this(name, idField, sealedFields, null);
  }

  public CollectionShape withVersionField(String field) {
    return new CollectionShape(name, idField, sealedFields, field);
  }

  public Optional<String> versionField() {
    return Optional.ofNullable(versionFieldName);
  }

  public static boolean isIdentifier(String text) {
    return IDENTIFIER.matcher(text).matches();
  }

  private static void check(String identifier) {
    if (!isIdentifier(identifier)) {
      throw new IllegalArgumentException("not the name of a table or column: " + identifier);
    }
  }
}
