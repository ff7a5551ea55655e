package keyfleet.store;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// A table or collection of an application: its name, the column that identifies a record, and the
/// sealed columns.
public record CollectionShape(String name, String idField, SortedSet<String> sealedFields) {
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
    sealedFields = Collections.unmodifiableSortedSet(new TreeSet<>(sealedFields));
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
