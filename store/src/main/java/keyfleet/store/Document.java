package keyfleet.store;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/// A JSON object, the format of Keyfleet's stored values. A reader asks for the fields it knows and
/// ignores the rest: a newer version may have added some. A field that is missing or has the wrong
/// type causes a [MalformedValueException].
public final class Document {
  private static final int MAX_DEPTH = 16;

  /// Stands for a null while an object is being read.
  private static final Object NULL = new Object();

  /// Room for the fields of a heartbeat, of which fleets have the most.
  private static final int USUAL_FIELDS = 16;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
          .build();

  /// Values are `String`, `Long`, `Document` and lists of these.
  private final Map<String, Object> fields;

  private record Conversion(Object converter, Object result) {}

  private volatile @Nullable Conversion lastConversion;

  private Document(Map<String, Object> fields) {
    this.fields = fields;
  }

  public static Builder builder() {
    return new Builder();
  }

  /// A document of these fields, in their order. Each value is a `String`, a `Long`, a `Document`
  /// or a list of these; any other is malformed.
  public static Document of(Map<String, Object> fields) {
    fields.forEach(Document::requireSupported);
    return new Document(Collections.unmodifiableMap(fields));
  }

  private static void requireSupported(String name, Object value) {
    switch (value) {
      case String _, Long _, Document _ -> {}
      case List<?> items -> items.forEach(item -> requireSupported(name, item));
      default -> throw new MalformedValueException("field " + name + " has an unsupported type");
    }
  }

  /// The fields in their order. Each value is as in [#of].
  public Map<String, Object> fields() {
    return Collections.unmodifiableMap(fields);
  }

  public static Document parse(Value value) {
    return value.document();
  }

  static Document parseBytes(Bytes bytes) {
    return readWhole(bytes, Document::readObject);
  }

  /// Reads a document field by field without building it: a reader of many documents keeps only
  /// what it needs. What [#parse] rejects is malformed here too, and so is a value that the
  /// collector rejects.
  public static <T> T read(Value value, FieldCollector<T> collector) {
    try {
      if (value.isDecoded()) {
        return value.document().collect(collector);
      }
      return readWhole(
          value.bytes(),
          parser -> {
            readFields(parser, collector::add);
            return collector.build();
          });
    } catch (IllegalArgumentException e) {
      throw rejected(e);
    }
  }

  private <T> T collect(FieldCollector<T> collector) {
    fields.forEach((name, value) -> collector.add(new Field(name, value)));
    return collector.build();
  }

  private static <T> T readWhole(Bytes bytes, Function<JsonParser, T> reading) {
    try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), bytes.sharedArray())) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new MalformedValueException("not a JSON object");
      }
      T result = reading.apply(parser);
      if (parser.nextToken() != null) {
        throw new MalformedValueException("text after the JSON object");
      }
      return result;
    } catch (JacksonException e) {
      throw new MalformedValueException("not JSON", e);
    }
  }

  private static Document readObject(JsonParser parser) {
    Map<String, Object> fields = new LinkedHashMap<>();
    boolean nulls = false;
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      Object value = readValue(parser, parser.nextToken());
      // Jackson can detect duplicates too, but would keep a second set of all names for it.
      if (fields.put(name, value == null ? NULL : value) != null) {
        throw duplicate(name);
      }
      nulls |= value == null;
    }
    if (nulls) {
      fields.values().removeIf(NULL::equals);
    }
    return new Document(fields);
  }

  private static void readFields(JsonParser parser, Consumer<Field> consumer) {
    Set<String> names = HashSet.newHashSet(USUAL_FIELDS);
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      Object value = readValue(parser, parser.nextToken());
      if (!names.add(name)) {
        throw duplicate(name);
      }
      if (value != null) {
        consumer.accept(new Field(name, value));
      }
    }
  }

  private static MalformedValueException duplicate(String name) {
    return new MalformedValueException("duplicate field in a JSON object: " + name);
  }

  /// A null is the same as no field.
  private static @Nullable Object readValue(JsonParser parser, @Nullable JsonToken token) {
    return switch (token) {
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT -> parser.getLongValue();
      // Keyfleet writes none of these, but a newer version may add one, which must be skipped.
      case VALUE_NUMBER_FLOAT, VALUE_TRUE, VALUE_FALSE -> parser.getString();
      case VALUE_NULL -> null;
      case START_OBJECT -> readObject(parser);
      case START_ARRAY -> readArray(parser);
      case null, default -> throw new MalformedValueException("unexpected JSON token " + token);
    };
  }

  private static List<Object> readArray(JsonParser parser) {
    List<Object> items = new ArrayList<>();
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      Object item = readValue(parser, token);
      if (item == null) {
        throw new MalformedValueException("null in a list");
      }
      items.add(item);
    }
    return items;
  }

  public Value toValue() {
    return new Value(toBytes(), this);
  }

  Bytes toBytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), bytes)) {
      write(json, this);
    }
    return Bytes.wrap(bytes.toByteArray());
  }

  /// Whether the text of this document is exactly these bytes.
  boolean isWrittenAs(Bytes text) {
    try {
      return toBytes().equals(text);
    } catch (JacksonException e) {
      return false; // half of a surrogate pair has no text
    }
  }

  private static void write(JsonGenerator json, Object value) {
    switch (value) {
      case String text -> json.writeString(text);
      case Long number -> json.writeNumber(number);
      case Document document -> {
        json.writeStartObject();
        document.fields.forEach((name, field) -> {
          json.writeName(name);
          write(json, field);
        });
        json.writeEndObject();
      }
      case List<?> items -> {
        json.writeStartArray();
        items.forEach(item -> write(json, item));
        json.writeEndArray();
      }
      default -> throw new IllegalStateException("unsupported field type: " + value.getClass());
    }
  }

  public boolean has(String name) {
    return fields.containsKey(name);
  }

  public Set<String> fieldNames() {
    return Collections.unmodifiableSet(fields.keySet());
  }

  public String text(String name) {
    return field(name, String.class);
  }

  public long number(String name) {
    return field(name, Long.class);
  }

  public Document document(String name) {
    return field(name, Document.class);
  }

  public List<String> texts(String name) {
    return items(name, String.class);
  }

  public List<Long> numbers(String name) {
    return items(name, Long.class);
  }

  public List<Document> documents(String name) {
    return items(name, Document.class);
  }

  /// Converts the document with `converter`. A value that its type rejects is malformed, not a bug:
  /// it came from outside.
  ///
  /// The last result is cached: the converter must depend on the document alone and return an
  /// immutable object.
  @SuppressWarnings("unchecked") // a converter returns one type
  public <T> T as(Function<Document, T> converter) {
    Conversion known = lastConversion;
    if (known == null || !known.converter().equals(converter)) {
      known = new Conversion(converter, convert(converter));
      lastConversion = known;
    }
    return (T) known.result();
  }

  private <T> T convert(Function<Document, T> converter) {
    try {
      return converter.apply(this);
    } catch (IllegalArgumentException e) {
      throw rejected(e);
    }
  }

  private static MalformedValueException rejected(IllegalArgumentException e) {
    return new MalformedValueException(String.valueOf(e.getMessage()), e);
  }

  private <T> List<T> items(String name, Class<T> type) {
    return castItems(name, fields.get(name), type);
  }

  private static <T> List<T> castItems(String name, @Nullable Object value, Class<T> type) {
    List<?> items = cast(name, value, List.class);
    List<T> typed = new ArrayList<>(items.size());
    for (Object item : items) {
      typed.add(cast(name, item, type));
    }
    return Collections.unmodifiableList(typed);
  }

  private <T> T field(String name, Class<T> type) {
    return cast(name, fields.get(name), type);
  }

  private static <T> T cast(String name, @Nullable Object value, Class<T> type) {
    if (!type.isInstance(value)) {
      throw new MalformedValueException(
          value == null
              ? "field " + name + " is missing"
              : "field " + name + " has the wrong type");
    }
    return type.cast(value);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Document that && fields.equals(that.fields);
  }

  @Override
  public int hashCode() {
    return fields.hashCode();
  }

  /// The names alone: a value may be long, and does not belong in a log.
  @Override
  public String toString() {
    return "Document" + fields.keySet();
  }

  /// What [#read] keeps of one document.
  public interface FieldCollector<T> {
    void add(Field field);

    /// Called once, after the last field.
    T build();
  }

  /// A field that [#read] has just read. Its value is only converted when it is asked for.
  public static final class Field {
    private final String name;
    private final Object value;

    private Field(String name, Object value) {
      this.name = name;
      this.value = value;
    }

    public String name() {
      return name;
    }

    public String text() {
      return cast(name, value, String.class);
    }

    public long number() {
      return cast(name, value, Long.class);
    }

    public Document document() {
      return cast(name, value, Document.class);
    }

    public List<Long> numbers() {
      return castItems(name, value, Long.class);
    }
  }

  /// Collects fields in the order in which they are written.
  public static final class Builder {
    private Map<String, Object> fields = new LinkedHashMap<>();

    private Builder() {}

    public Builder text(String name, String value) {
      return put(name, value);
    }

    public Builder number(String name, long value) {
      return put(name, value);
    }

    public Builder document(String name, Document value) {
      return put(name, value);
    }

    public Builder texts(String name, List<String> values) {
      return put(name, List.copyOf(values));
    }

    public Builder numbers(String name, List<Long> values) {
      return put(name, List.copyOf(values));
    }

    public Builder documents(String name, List<Document> values) {
      return put(name, List.copyOf(values));
    }

    /// After this the builder accepts no more fields.
    public Document build() {
      Document built = new Document(fields);
      fields = Map.of();
      return built;
    }

    private Builder put(String name, Object value) {
      if (fields.putIfAbsent(name, value) != null) {
        throw new IllegalArgumentException("duplicate field in a document: " + name);
      }
      return this;
    }
  }
}
