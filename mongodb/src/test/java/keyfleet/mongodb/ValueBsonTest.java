package keyfleet.mongodb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.Random;
import keyfleet.store.Document;
import keyfleet.store.MalformedValueException;
import keyfleet.store.Value;
import org.bson.RawBsonDocument;
import org.bson.codecs.DocumentCodec;
import org.bson.types.Binary;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Values come back byte for byte, in whichever form they are stored.
final class ValueBsonTest {
  private static final Document FULL =
      Document.builder()
          .text("t", "a \"quoted\" \u00e9\n\u0000")
          .number("n", Long.MIN_VALUE)
          .number("short", 7)
          .document("d", Document.builder().number("1", 2).build())
          .document("empty", Document.builder().build())
          .texts("ts", List.of("a", "2026-11-19T22:00:00Z"))
          .numbers("ns", List.of(1L, 1L << 40))
          .documents("ds", List.of(Document.builder().text("x", "y").build()))
          .build();

  @Test
  void document_isStoredAsBsonAndComesBack() {
    var stored = assertInstanceOf(org.bson.Document.class, ValueBson.toBson(FULL.toValue()));
    assertEquals(7, stored.get("short"));
    assertEquals(1L << 40, stored.getList("ns", Number.class).getLast());
    Value read = decode(stored);
    assertEquals(FULL, Document.parse(read));
    assertEquals(FULL.toValue(), read);
    assertEquals(FULL.toValue().text(), read.text());
  }

  @Test
  void documentWhoseTextWasParsed_isStoredAsBsonToo() {
    Value value = Value.of(FULL.toValue().text());
    assertEquals(value, decode(assertInstanceOf(org.bson.Document.class, ValueBson.toBson(value))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "one",
        "{",
        "{}x",
        "[1]",
        "{ \"a\":1}",
        "{\"a\":true}",
        "{\"a\":1.5}",
        "{\"a\":null}",
        "{\"a\":1,\"a\":2}",
        "{\"\\u0061\":1}",
        "{\"a\":\"\\ud800\"}",
        "{\"a.b\":1}",
        "{\"$a\":1}",
        "{\"\":1}",
        "{\"a\\u0000b\":1}",
        "{\"a\":{\"b.c\":1}}",
        "{\"a\":[{\"$b\":1}]}",
      })
  void anyOtherValue_isStoredAsItIs(String text) {
    Value value = Value.of(text);
    Binary stored = assertInstanceOf(Binary.class, ValueBson.toBson(value));
    assertEquals(value, ValueBson.toValue(stored));
  }

  @Test
  void randomDocuments_comeBack() {
    for (int seed = 0; seed < 2_000; seed++) {
      Value value = randomDocument(new Random(seed), 3).toValue();
      Object stored = ValueBson.toBson(value);
      assertEquals(
          value,
          stored instanceof org.bson.Document document
              ? decode(document)
              : ValueBson.toValue(stored),
          "seed " + seed);
    }
  }

  private static Document randomDocument(Random random, int depth) {
    Document.Builder builder = Document.builder();
    for (int i = random.nextInt(6); i > 0; i--) {
      String name = i + (random.nextInt(9) == 0 ? "." : "") + (char) random.nextInt(0x300);
      switch (random.nextInt(depth == 0 ? 2 : 4)) {
        case 0 -> builder.text(name, "" + (char) random.nextInt(0xD000));
        case 1 -> builder.number(name, random.nextLong() >> random.nextInt(64));
        case 2 -> builder.document(name, randomDocument(random, depth - 1));
        default -> builder.documents(name, List.of(randomDocument(random, depth - 1)));
      }
    }
    return builder.build();
  }

  /// A person who edits a document in the shell writes numbers as doubles.
  @Test
  void editOfAPerson_isRead() {
    var edited =
        new org.bson.Document("n", 3.0)
            .append("half", 0.5)
            .append("flag", true)
            .append("none", null);
    assertEquals(
        Document.of(Map.of("n", 3L, "half", "0.5", "flag", "true")),
        Document.parse(decode(edited)));
  }

  @Test
  void unsupportedField_isMalformed() {
    Value value = decode(new org.bson.Document("a", new org.bson.types.ObjectId()));
    assertThrows(MalformedValueException.class, () -> Document.parse(value));
    assertThrows(MalformedValueException.class, () -> ValueBson.toValue("text"));
  }

  private static Value decode(org.bson.Document stored) {
    return ValueBson.toValue(new RawBsonDocument(stored, new DocumentCodec()));
  }
}
