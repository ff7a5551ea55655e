package keyfleet.mongodb;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import keyfleet.store.RecordId;
import keyfleet.store.StoreRefusedException;
import org.bson.Document;
import org.bson.types.ObjectId;

/// Converts the ids of an application's documents: strings, or ObjectIds, whose text is their 24
/// hex digits. A collection may have both; they are ordered by the bytes of their texts.
final class DocumentIds {
  static final Comparator<RecordId> ORDER =
      (one, other) ->
          Arrays.compareUnsigned(one.value().getBytes(UTF_8), other.value().getBytes(UTF_8));

  /// Types that cannot be an id here. The list is explicit because the server finds a type in its
  /// index, but not the absence of a type.
  static final List<String> UNSUPPORTED_TYPES =
      List.of(
          "double",
          "object",
          "array",
          "binData",
          "bool",
          "date",
          "null",
          "regex",
          "int",
          "timestamp",
          "long",
          "decimal");

  private static final int DIGITS = 24;
  private static final int RADIX = 16;
  private static final Pattern OBJECT_ID = Pattern.compile("[0-9a-f]{24}");

  private DocumentIds() {}

  static RecordId toRecordId(Object id) {
    try {
      return switch (id) {
        case String text -> new RecordId(text);
        case ObjectId objectId -> new RecordId(objectId.toHexString());
        default -> throw new IllegalArgumentException("of class " + id.getClass().getSimpleName());
      };
    } catch (IllegalArgumentException e) {
      throw new StoreRefusedException(
          "a record's id must be an ObjectId or a string of 1 to %d bytes; found one %s"
              .formatted(RecordId.MAX_BYTES, e.getMessage()),
          "declare another field as the collection's id",
          e);
    }
  }

  /// A filter that matches the id as string and as ObjectId.
  static Object filterFor(RecordId id) {
    return toObjectId(id)
        .<Object>map(it -> new Document("$in", List.of(id.value(), it)))
        .orElse(id.value());
  }

  static Optional<ObjectId> toObjectId(RecordId id) {
    return OBJECT_ID.matcher(id.value()).matches()
        ? Optional.of(new ObjectId(id.value()))
        : Optional.empty();
  }

  static Document stringsAfter(String text) {
    return new Document("$gt", text);
  }

  /// A filter for the ObjectIds whose text sorts after `text`; empty if none can.
  static Optional<Document> objectIdsAfter(String text) {
    if (text.length() >= DIGITS && OBJECT_ID.matcher(text.substring(0, DIGITS)).matches()) {
      return Optional.of(new Document("$gt", new ObjectId(text.substring(0, DIGITS))));
    }
    int hexLength = 0;
    while (hexLength < text.length()
        && Character.digit(lowerCaseOrNul(text, hexLength), RADIX) >= 0) {
      hexLength++;
    }
    String digits = text.substring(0, hexLength);
    char next = hexLength < text.length() ? text.charAt(hexLength) : '\0';
    return firstIdAfter(digits, next).map(it -> new Document("$gte", new ObjectId(it)));
  }

  /// The first text of 24 digits that begins with `digits` and continues with a digit after `next`;
  /// if there is none, the first one after all texts that begin with `digits`.
  private static Optional<String> firstIdAfter(String digits, char next) {
    if (next <= '9') {
      return Optional.of(padWithZeros(digits));
    }
    return next < 'a'
        ? Optional.of(padWithZeros(digits + "a"))
        : nextPrefix(digits).map(DocumentIds::padWithZeros);
  }

  private static Optional<String> nextPrefix(String digits) {
    if (digits.matches("f*")) {
      return Optional.empty();
    }
    String next = new BigInteger(digits, RADIX).add(BigInteger.ONE).toString(RADIX);
    return Optional.of("0".repeat(digits.length() - next.length()) + next);
  }

  private static String padWithZeros(String digits) {
    return digits + "0".repeat(DIGITS - digits.length());
  }

  /// The text of an ObjectId has no upper-case digits.
  private static char lowerCaseOrNul(String text, int index) {
    char letter = text.charAt(index);
    return letter < 0x80 && !Character.isUpperCase(letter) ? letter : '\0';
  }
}
