package keyfleet.mongodb;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import keyfleet.store.Bytes;
import keyfleet.store.Document;
import keyfleet.store.MalformedValueException;
import keyfleet.store.Value;
import org.bson.BsonReader;
import org.bson.BsonType;
import org.bson.RawBsonDocument;
import org.bson.types.Binary;
import org.jspecify.annotations.Nullable;

/// The field `value` of an entry. A JSON document is stored as a BSON document, so that people can
/// read it and search in it in MongoDB's shell. Any other value is stored as binary.
///
/// A reader gets the bytes that were written: only a document whose text is exactly the value is
/// stored as BSON.
final class ValueBson {
  private ValueBson() {}

  static Object toBson(Value value) {
    return value
        .exactDocument()
        .filter(ValueBson::hasPlainNames)
        .<Object>map(ValueBson::toBson)
        .orElseGet(() -> new Binary(value.bytes().toArray()));
  }

  /// A document is decoded when it is first needed: a roster has many, and several threads read it.
  static Value toValue(@Nullable Object stored) {
    return switch (stored) {
      case Binary binary -> new Value(Bytes.wrap(binary.getData()));
      case RawBsonDocument document -> Value.ofStored(() -> parse(document));
      case null, default -> throw new MalformedValueException("the value is not a document");
    };
  }

  /// Some servers refuse other names, or read a dot as a path.
  private static boolean hasPlainNames(Document document) {
    return document.fields().entrySet().stream()
        .allMatch(field -> isPlain(field.getKey()) && hasPlainNames(field.getValue()));
  }

  private static boolean hasPlainNames(Object value) {
    return switch (value) {
      case Document document -> hasPlainNames(document);
      case List<?> items -> items.stream().allMatch(ValueBson::hasPlainNames);
      default -> true;
    };
  }

  private static boolean isPlain(String name) {
    return !name.isEmpty()
        && !name.startsWith("$")
        && name.indexOf('.') < 0
        && name.indexOf('\0') < 0;
  }

  private static Object toBson(Object value) {
    return switch (value) {
      case Document document -> toBson(document);
      case List<?> items -> items.stream().map(ValueBson::toBson).toList();
      // A short integer, which the shell prints as plain digits.
      case Long number when number.intValue() == number -> number.intValue();
      default -> value;
    };
  }

  private static org.bson.Document toBson(Document document) {
    org.bson.Document fields = new org.bson.Document();
    document.fields().forEach((name, value) -> fields.append(name, toBson(value)));
    return fields;
  }

  private static Document parse(RawBsonDocument document) {
    try (var reader = document.asBsonReader()) {
      return readDocument(reader);
    }
  }

  private static Document readDocument(BsonReader reader) {
    Map<String, Object> fields = new LinkedHashMap<>();
    reader.readStartDocument();
    while (reader.readBsonType() != BsonType.END_OF_DOCUMENT) {
      String name = reader.readName();
      Object value = readValue(reader);
      if (value != null) {
        fields.put(name, value);
      }
    }
    reader.readEndDocument();
    return Document.of(fields);
  }

  /// Accepts numbers of every kind, because people may edit documents in the shell. Keyfleet writes
  /// no boolean and no date, but a newer version may add one, which must be skipped.
  private static @Nullable Object readValue(BsonReader reader) {
    return switch (reader.getCurrentBsonType()) {
      case STRING -> reader.readString();
      case INT32 -> (long) reader.readInt32();
      case INT64 -> reader.readInt64();
      case DOUBLE -> toNumber(reader.readDouble());
      case BOOLEAN -> String.valueOf(reader.readBoolean());
      case DATE_TIME -> Instant.ofEpochMilli(reader.readDateTime()).toString();
      case DOCUMENT -> readDocument(reader);
      case ARRAY -> readArray(reader);
      case NULL -> {
        reader.readNull();
        yield null;
      }
      case BsonType other -> throw new MalformedValueException("a field has the type " + other);
    };
  }

  private static Object toNumber(double number) {
    boolean isInteger = number == Math.rint(number) && Math.abs(number) < 1L << 53;
    return isInteger ? (Object) (long) number : String.valueOf(number);
  }

  private static List<Object> readArray(BsonReader reader) {
    List<Object> items = new ArrayList<>();
    reader.readStartArray();
    while (reader.readBsonType() != BsonType.END_OF_DOCUMENT) {
      Object item = readValue(reader);
      if (item == null) {
        throw new MalformedValueException("null in a list");
      }
      items.add(item);
    }
    reader.readEndArray();
    return List.copyOf(items);
  }
}
