package keyfleet.mongodb;

import static keyfleet.mongodb.MongoFixtures.field;
import static keyfleet.store.StoreFixtures.sealed;
import static keyfleet.store.StoreFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import de.bwaldvogel.mongo.MongoServer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import keyfleet.store.CollectionShape;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.EnvelopeScan;
import keyfleet.store.engine.EnvelopeScan.Encoding;
import keyfleet.store.engine.EnvelopeScan.Finding;
import keyfleet.store.engine.EnvelopeScan.Scope;
import keyfleet.store.engine.EnvelopeScan.SkippedPart;
import keyfleet.store.engine.EnvelopeScannerContract;
import keyfleet.store.engine.EnvelopeScannerFixture;
import org.bson.Document;
import org.bson.types.Binary;
import org.junit.jupiter.api.Test;

class MongoEnvelopeScannerTest implements EnvelopeScannerContract {
  private static final Set<Object> VIEWS = ConcurrentHashMap.newKeySet();
  private static final MongoServer VIEWING =
      MongoTestServers.start(new ScriptedMongoBackend(MongoEnvelopeScannerTest::answerWithViews));

  @Override
  public EnvelopeScannerFixture fixture() {
    return MongoTestServers.realServer().isPresent()
        ? new MongoEnvelopeScannerFixture(MongoTestServers.database())
        : new MongoEnvelopeScannerFixture(MongoTestServers.databaseOn(VIEWING));
  }

  /// The emulator treats a view as a collection and never lists one.
  private static de.bwaldvogel.mongo.bson.Document answerWithViews(ScriptedMongoBackend.Call call) {
    if (call.query().containsKey("viewOn")) {
      VIEWS.add(call.query().get("create"));
    }
    var answer = call.forward();
    if (call.name().equals("listCollections")) {
      ScriptedMongoBackend.batch(answer).stream()
          .filter(it -> VIEWS.contains(it.get("name")))
          .forEach(it -> it.put("type", "view"));
    }
    return answer;
  }

  private static Finding bytes(String collection, String field, int version, long count) {
    return new Finding(
        collection, field, Encoding.BYTES, new TreeMap<>(Map.of(v(version), count)), 0);
  }

  private static Binary envelope(int version) {
    return new Binary(sealed(version).toArray());
  }

  @Test
  void sealedField_isFoundWhereverItIs() {
    try (MongoEnvelopeScannerFixture fixture =
        new MongoEnvelopeScannerFixture(MongoTestServers.database())) {
      Document person = new Document("card", field(2, 2)).append("name", "Ann");
      fixture.insert(
          "customers",
          new Document("f0", field(1, 1))
              .append("person", person)
              .append("cards", List.of(field(3, 3), new Document("old", envelope(4))))
              .append("ct", envelope(1))
              .append("raw", new Document("ct", envelope(1))));
      assertEquals(
          Set.of(
              bytes("customers", "f0", 1, 1),
              bytes("customers", "person.card", 2, 1),
              bytes("customers", "cards[]", 3, 1),
              bytes("customers", "cards[].old", 4, 1),
              bytes("customers", "ct", 1, 1),
              bytes("customers", "raw.ct", 1, 1)),
          Set.copyOf(fixture.whole().undeclared()));
    }
  }

  @Test
  void nestedFieldWithADeclaredName_isStillUndeclared() {
    try (MongoEnvelopeScannerFixture fixture =
        new MongoEnvelopeScannerFixture(MongoTestServers.database())) {
      fixture.insert(
          "customers",
          new Document("f0", field(1, 1)).append("person", new Document("f0", field(2, 2))));
      CollectionShape shape = new CollectionShape("customers", "_id", new TreeSet<>(Set.of("f0")));
      assertEquals(
          List.of(bytes("customers", "person.f0", 2, 1)),
          fixture.engine.scanForEnvelopes(Scope.whole(Set.of(shape))).undeclared());
    }
  }

  @Test
  void depthBeyondTheLimit_isReported() {
    try (MongoEnvelopeScannerFixture fixture =
        new MongoEnvelopeScannerFixture(MongoTestServers.database())) {
      Document nest = new Document("x", envelope(1));
      for (int i = 1; i < DocumentEnvelopeScanner.MAX_DEPTH; i++) {
        nest = new Document("x", nest);
      }
      fixture.insert("deep", nest);
      fixture.insert("deeper", new Document("x", nest));
      EnvelopeScan scan = fixture.whole();
      assertEquals(
          List.of(bytes("deep", "x" + ".x".repeat(DocumentEnvelopeScanner.MAX_DEPTH - 1), 1, 1)),
          scan.undeclared());
      List<String> left = scan.notScanned().stream().map(SkippedPart::what).toList();
      assertTrue(left.contains("fields of deeper nested more than 10 deep"), left::toString);
      assertEquals(1, left.stream().filter(it -> it.startsWith("fields of")).count());
    }
  }

  @Test
  void manyDocuments_areAllRead() {
    try (MongoEnvelopeScannerFixture fixture =
        new MongoEnvelopeScannerFixture(MongoTestServers.database())) {
      for (int i = 0; i < 1_203; i++) {
        fixture.insert("customers", new Document("_id", i).append("f0", field(1, 1)));
      }
      assertEquals(List.of(bytes("customers", "f0", 1, 1_203)), fixture.whole().undeclared());
    }
  }

  @Test
  void fieldsBeyondTheLimit_areCutOffAndReported() {
    try (MongoEnvelopeScannerFixture fixture =
        new MongoEnvelopeScannerFixture(MongoTestServers.database())) {
      Document many = new Document();
      for (int i = 0; i < 1_001; i++) {
        many.append("f" + i, envelope(1));
      }
      fixture.insert("customers", many);
      EnvelopeScan scan = fixture.whole();
      assertEquals(1_000, scan.undeclared().size());
      List<String> left = scan.notScanned().stream().map(SkippedPart::what).toList();
      assertTrue(left.contains("further fields of customers"), left::toString);
    }
  }

  private static final class MongoEnvelopeScannerFixture implements EnvelopeScannerFixture {
    private final MongoTestServers.TestDatabase database;
    private final MongoEngine engine;

    MongoEnvelopeScannerFixture(MongoTestServers.TestDatabase database) {
      this.database = database;
      this.engine = MongoEngine.open(database.url());
    }

    void insert(String collection, Document document) {
      database.collection(collection).insertOne(document);
    }

    EnvelopeScan whole() {
      return engine.scanForEnvelopes(Scope.whole(Set.of()));
    }

    @Override
    public Engine engine() {
      return engine;
    }

    @Override
    public void createCollection(String collection) {
      database.raw().getDatabase(database.name()).createCollection(collection);
    }

    @Override
    public void addRecord(String collection, byte[] secret, byte[] other, String note) {
      insert(
          collection,
          new Document("secret", new Binary(secret))
              .append("other", new Binary(other))
              .append("note", note));
    }

    @Override
    public String createView(String name, String of) {
      database.raw().getDatabase(database.name()).createView(name, of, List.of());
      return "view " + name;
    }

    @Override
    public void close() {
      engine.close();
      database.close();
    }
  }
}
