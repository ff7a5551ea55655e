package keyfleet.sqlite;

import java.util.Optional;
import java.util.SortedSet;
import java.util.stream.Collectors;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.KekVersion;

/// SQL that reads the version inside a sealed field. The **tag** of a field is eight hex digits,
/// which sort like the versions; it is empty for a field that is not an envelope, and null for an
/// absent field.
///
/// The expressions use only functions that every SQLite of the last ten years has, because the
/// application's own library runs them too. A test compares them with [Envelope#parse].
final class SqliteVersionTags {
  /// Sorts after every tag; as a second argument it also makes `min` the scalar function, not the
  /// aggregate.
  static final String NONE = "'G'";

  private static final int HEADER = 12;
  private static final int MIN_DATA = 80;

  /// `@` stands for the field's bytes. Offsets count from 1. Blobs compare bytewise, so only the
  /// length of the wrapped DEK needs a conversion: the available length is formatted as hex text
  /// and compared with it.
  private static final String TAG =
      """
      CASE WHEN @ IS NULL THEN NULL
        WHEN substr(@, 1, 6) = x'EB4B46450101'
          AND substr(@, %1$d, 4) BETWEEN x'00000001' AND x'7FFFFFFF'
          AND length(@) BETWEEN %2$d + 1 AND %2$d + %3$d + %4$d
          AND hex(substr(@, 11, 2))
            BETWEEN '0001' AND printf('%%04X', min(length(@) - %2$d, %3$d))
        THEN hex(substr(@, %1$d, 4)) ELSE '' END\
      """
          .formatted(
              Envelope.VERSION_OFFSET + 1,
              HEADER + MIN_DATA,
              Envelope.MAX_WRAPPED_DEK,
              Envelope.MAX_PLAINTEXT);

  private SqliteVersionTags() {}

  /// SQL for the tag of a field whose bytes are `expression`.
  static String tagSql(String expression) {
    return TAG.replace("@", expression);
  }

  /// SQL for the bytes of a column, whatever type of value an application stored there.
  static String bytesSql(String column) {
    return "CAST(" + column + " AS BLOB)";
  }

  /// SQL for the lowest tag of a record, or [#NONE].
  static String lowestTagSql(SortedSet<String> columns) {
    return columns.stream()
        .map(it -> "ifnull(nullif(%s, ''), %s)".formatted(tagSql(bytesSql(it)), NONE))
        .collect(Collectors.joining(", ", "min(" + NONE + ", ", ")"));
  }

  static String toTag(KekVersion version) {
    return "%08X".formatted(version.number());
  }

  /// Empty for a field that is not an envelope.
  static Optional<KekVersion> toVersion(String tag) {
    return tag.isEmpty()
        ? Optional.empty()
        : Optional.of(new KekVersion(Integer.parseInt(tag, 16)));
  }

  static String quote(String identifier) {
    return '"' + identifier.replace("\"", "\"\"") + '"';
  }
}
