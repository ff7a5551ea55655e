package keyfleet.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DocumentTest {
  private static final Document INNER = Document.builder().number("n", -3).build();

  private static final Document FULL =
      Document.builder()
          .text("t", "a \"quoted\" é")
          .number("n", Long.MAX_VALUE)
          .document("d", INNER)
          .texts("ts", List.of("a", "b"))
          .numbers("ns", List.of(1L, 2L))
          .documents("ds", List.of(INNER, INNER))
          .build();

  @Test
  void document_roundTrips() {
    Document read = reparse(FULL);
    assertEquals(FULL, read);
    assertEquals("a \"quoted\" é", read.text("t"));
    assertEquals(Long.MAX_VALUE, read.number("n"));
    assertEquals(-3, read.document("d").number("n"));
    assertEquals(List.of("a", "b"), read.texts("ts"));
    assertEquals(List.of(1L, 2L), read.numbers("ns"));
    assertEquals(List.of(INNER, INNER), read.documents("ds"));
  }

  /// A value built from a document returns that document without parsing: so the bytes must parse
  /// to the same document.
  @Test
  void randomDocument_roundTripsThroughItsBytes() {
    for (int seed = 0; seed < 2_000; seed++) {
      Document document = randomDocument(new Random(seed), 3);
      assertEquals(document, reparse(document), "seed " + seed);
      assertSame(document, Document.parse(document.toValue()));
    }
  }

  private static Document reparse(Document document) {
    return Document.parse(new Value(document.toValue().bytes()));
  }

  private static Document randomDocument(Random random, int depth) {
    Document.Builder builder = Document.builder();
    for (int i = random.nextInt(6); i > 0; i--) {
      String name = i + text(random);
      switch (random.nextInt(depth == 0 ? 4 : 6)) {
        case 0 -> builder.text(name, text(random));
        case 1 -> builder.number(name, random.nextLong() >> random.nextInt(64));
        case 2 -> builder.texts(name, List.of(text(random), text(random)));
        case 3 -> builder.numbers(name, List.of(random.nextLong()));
        case 4 -> builder.document(name, randomDocument(random, depth - 1));
        default -> builder.documents(name, List.of(randomDocument(random, depth - 1)));
      }
    }
    return builder.build();
  }

  /// Any characters except unpaired surrogates, which are not characters.
  private static String text(Random random) {
    return random
        .ints(random.nextInt(8), 0, Character.MAX_CODE_POINT + 1)
        .map(it -> random.nextBoolean() ? it % 128 : it)
        .filter(it -> it < Character.MIN_SURROGATE || it > Character.MAX_SURROGATE)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  @Test
  void fieldsOfANewerProgram_areIgnored() {
    Document read =
        Document.parse(Value.of("{\"a\":1.5,\"b\":true,\"c\":null,\"d\":[[{}]],\"n\":7}"));
    assertEquals(7, read.number("n"));
    assertFalse(read.has("c"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "x",
        "[]",
        "7",
        "{",
        "{} {}",
        "{\"a\":1,\"a\":2}",
        "{\"a\":null,\"a\":2}",
        "{\"a\":null,\"a\":null}",
        "{\"a\":[null]}",
        "{\"n\":9223372036854775808}"
      })
  void otherText_isMalformed(String text) {
    assertThrows(MalformedValueException.class, () -> Document.parse(Value.of(text)));
    assertThrows(MalformedValueException.class, () -> readTexts(text));
  }

  @Test
  void tooDeep_isMalformed() {
    String deep = "{\"a\":".repeat(40) + "1" + "}".repeat(40);
    assertThrows(MalformedValueException.class, () -> Document.parse(Value.of(deep)));
    assertThrows(MalformedValueException.class, () -> readTexts(deep));
  }

  /// Keeps the names of all fields and the text of the field `t`.
  private static List<String> readTexts(String text) {
    return readTexts(Value.of(text));
  }

  private static List<String> readTexts(Value value) {
    return Document.read(
        value,
        new Document.FieldCollector<List<String>>() {
          private final List<String> read = new ArrayList<>();

          @Override
          public void add(Document.Field field) {
            read.add(field.name().equals("t") ? field.text() : field.name());
          }

          @Override
          public List<String> build() {
            return read;
          }
        });
  }

  @Test
  void fields_areReadInTheirOrderWithoutNulls() {
    assertEquals(
        List.of("b", "x", "a"), readTexts("{\"b\":[1.5],\"t\":\"x\",\"n\":null,\"a\":{}}"));
    assertEquals(List.of(), readTexts("{}"));
  }

  @Test
  void fieldOfTheWrongType_isMalformed() {
    var e = assertThrows(MalformedValueException.class, () -> readTexts("{\"t\":1}"));
    assertEquals("field t has the wrong type", e.getMessage());
  }

  @Test
  void missingFieldOrWrongType_isMalformed() {
    assertThrows(MalformedValueException.class, () -> FULL.text("missing"));
    assertThrows(MalformedValueException.class, () -> FULL.text("n"));
    assertThrows(MalformedValueException.class, () -> FULL.numbers("ts"));
  }

  @Test
  void valueThatItsTypeRejects_isMalformed() {
    Document document = Document.builder().text("key", "not a key").build();
    assertThrows(MalformedValueException.class, () -> document.as(it -> new Key(it.text("key"))));
  }

  @Test
  void oneDocument_isConvertedInTwoWays() {
    Document read = Document.parse(FULL.toValue());
    for (int i = 0; i < 2; i++) {
      assertEquals("a \"quoted\" é", read.as(it -> it.text("t")));
      assertEquals(Long.MAX_VALUE, (long) read.as(it -> it.number("n")));
    }
  }

  @Test
  void builder_acceptsNothingAfterBuild() {
    Document.Builder builder = Document.builder().number("n", 1);
    Document built = builder.build();
    assertThrows(UnsupportedOperationException.class, () -> builder.number("m", 2));
    assertFalse(built.has("m"));
  }

  @Test
  void toString_showsNoValue() {
    assertEquals("Document[t, n, d, ts, ns, ds]", FULL.toString());
  }

  /// An engine that stores documents in its own form decodes them when they are first needed.
  @Test
  void storedDocument_isReadAsItsTextIs() {
    AtomicInteger decoded = new AtomicInteger();
    Value stored =
        Value.ofStored(() -> {
          decoded.incrementAndGet();
          return Document.of(FULL.fields());
        });
    assertEquals(0, decoded.get());
    assertEquals(readTexts(FULL.toValue()), readTexts(stored));
    assertEquals(FULL.toValue(), stored);
    assertEquals(FULL.toValue().hashCode(), stored.hashCode());
    assertEquals(FULL.toValue().text(), stored.text());
    assertEquals(1, decoded.get());
  }

  @Test
  void storedDocumentThatCannotBeDecoded_isMalformed() {
    Value stored =
        Value.ofStored(() -> {
          throw new MalformedValueException("not a document");
        });
    assertThrows(MalformedValueException.class, () -> readTexts(stored));
    assertThrows(MalformedValueException.class, stored::bytes);
    assertThrows(MalformedValueException.class, () -> Document.of(Map.of("a", List.of("b", 1.5))));
  }

  @Test
  void exactDocument_isOnlyWhatItsTextWouldBe() {
    assertEquals(Optional.of(FULL), FULL.toValue().exactDocument());
    assertEquals(Optional.of(FULL), new Value(FULL.toValue().bytes()).exactDocument());
    assertEquals(Optional.empty(), Value.of("{ }").exactDocument());
    assertEquals(Optional.empty(), Value.of("{\"a\":true}").exactDocument());
    assertEquals(Optional.empty(), Value.of("text").exactDocument());
  }
}
