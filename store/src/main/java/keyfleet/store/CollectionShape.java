package keyfleet.store;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// A table or collection that an application keeps: what it is called, which of its columns names a
/// record, and which are sealed.
public record CollectionShape(String name, String idField, SortedSet<String> sealedFields) {
  /// What every engine takes as one identifier. Engines quote it: case and hyphens are kept.
  private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]{0,62}");

  public CollectionShape {
    check(name);
    check(idField);
    sealedFields.forEach(CollectionShape::check);
    if (sealedFields.isEmpty() || sealedFields.contains(idField)) {
      throw new IllegalArgumentException(
          "a collection has sealed fields besides its id, " + name + " has " + sealedFields);
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
