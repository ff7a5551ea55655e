package keyfleet.postgres;

import static keyfleet.store.StoreFixtures.THINGS;
import static keyfleet.store.StoreFixtures.assertWritten;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import keyfleet.store.Document;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Revision;
import keyfleet.store.Value;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a person sees in psql: documents, in which SQL can search. A reader gets the bytes that
/// were written.
class PostgresDocumentTest {
  private static final String DATABASE = "documents";
  private static final Key A = new Key("a");
  private static final PostgresTestServer SERVER = createDatabase(DATABASE, "");

  private static PostgresTestServer createDatabase(String name, String options) {
    PostgresTestServer server = PostgresTestServer.shared();
    server.execute("postgres", "CREATE DATABASE " + name + options);
    return server;
  }

  private static Value beat(String nonce) {
    return Document.builder()
        .text("hostname", "w\u00e4b-1")
        .number("pid", 4711)
        .numbers("loaded_kek_versions", List.of(1L, 2L))
        .text("nonce", nonce)
        .build()
        .toValue();
  }

  @Test
  void document_isReadableAndSearchable() {
    try (PostgresEngine engine =
        PostgresEngine.open(StoreUrl.parse(SERVER.url(DATABASE, "schema=readable")))) {
      Kv kv = engine.kv();
      Revision first = assertWritten(kv.create(THINGS, A, beat("1")));
      assertEquals(beat("1"), kv.get(THINGS, A).orElseThrow().value());
      assertWritten(kv.update(THINGS, A, beat("2"), first));
      assertEquals(beat("2"), kv.get(THINGS, A).orElseThrow().value());
      assertEquals(
          "w\u00e4b-1",
          SERVER.execute(
              DATABASE,
              "SELECT document->>'hostname' FROM readable.kv"
                  + " WHERE document::jsonb @> '{\"loaded_kek_versions\": [2], \"nonce\": \"2\"}'"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"one", "{", "{ \"a\":1}", "{\"a\":\"\\u0000\"}", "{\"a\":\"\\ud800\"}", ""})
  void anyOtherValue_replacesADocumentAndIsReplacedByOne(String text) {
    try (PostgresEngine engine =
        PostgresEngine.open(StoreUrl.parse(SERVER.url(DATABASE, "schema=others")))) {
      Kv kv = engine.kv();
      assertWritten(kv.put(THINGS, A, beat("1")));
      assertWritten(kv.put(THINGS, A, Value.of(text)));
      assertEquals(Value.of(text), kv.get(THINGS, A).orElseThrow().value());
      assertWritten(kv.put(THINGS, A, beat("2")));
      assertEquals(beat("2"), kv.get(THINGS, A).orElseThrow().value());
    }
  }

  @Test
  void databaseInAnotherEncoding_keepsTheBytes() {
    createDatabase("latin", " ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
    Value beyondLatin =
        Document.builder().text("hostname", "\u017c\u00f3\u0142w").build().toValue();
    try (PostgresEngine engine = PostgresEngine.open(StoreUrl.parse(SERVER.url("latin", "")))) {
      assertWritten(engine.kv().put(THINGS, A, beyondLatin));
      assertEquals(beyondLatin, engine.kv().get(THINGS, A).orElseThrow().value());
    }
  }
}
