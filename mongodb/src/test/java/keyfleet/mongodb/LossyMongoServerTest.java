package keyfleet.mongodb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import keyfleet.mongodb.LossyMongoServer.Loss;
import keyfleet.store.Bucket;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Value;
import keyfleet.store.WriteResult.Written;
import keyfleet.store.engine.CompareAndSetProbe;
import keyfleet.store.engine.CompareAndSetProbe.Failed;
import keyfleet.store.engine.CompareAndSetProbe.Passed;
import keyfleet.store.engine.CompareAndSetProbe.Verdict;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.Test;

final class LossyMongoServerTest {
  private static final Bucket SCRATCH = new Bucket.Lasting("scratch");
  private static final Key COUNTER = new Key("counter");

  /// The engine uses no upsert, so that such a server loses nothing of Keyfleet's.
  @Test
  void serverThatLosesUpserts_keepsEachCreate() {
    try (LossyMongoServer server = new LossyMongoServer(Loss.UPSERTS);
        MongoEngine engine = MongoEngine.open(StoreUrl.parse(server.url()))) {
      for (int i = 0; i < 10; i++) {
        Key key = new Key("key." + i);
        assertInstanceOf(Written.class, engine.kv().create(SCRATCH, key, Value.of("here")));
        assertTrue(engine.kv().get(SCRATCH, key).isPresent());
      }
      assertInstanceOf(Passed.class, probe(engine));
    }
  }

  /// It keeps raced updates, so only a race of creates finds it.
  @Test
  void serverThatLosesRacedInserts_isCaught() {
    try (LossyMongoServer server = new LossyMongoServer(Loss.RACED_INSERTS);
        MongoEngine engine = MongoEngine.open(StoreUrl.parse(server.url()))) {
      assertInstanceOf(Failed.class, probe(engine));
    }
  }

  private static Verdict probe(MongoEngine engine) {
    return new CompareAndSetProbe(engine.kv(), "probe", System::nanoTime, Duration.ofSeconds(20))
        .run();
  }

  @Test
  void acknowledgedIncrements_areNotAllThere() {
    try (LossyMongoServer server = new LossyMongoServer();
        MongoEngine engine = MongoEngine.open(StoreUrl.parse(server.url()))) {
      Kv kv = engine.kv();
      kv.put(SCRATCH, COUNTER, Value.of("0"));
      int acknowledged = 0;
      for (int i = 0; i < 30; i++) {
        Entry last = kv.get(SCRATCH, COUNTER).orElseThrow();
        Value next = Value.of(String.valueOf(1 + Integer.parseInt(last.value().text())));
        acknowledged +=
            kv.update(SCRATCH, COUNTER, next, last.revision()) instanceof Written ? 1 : 0;
      }
      assertEquals(30, acknowledged);
      int found = Integer.parseInt(kv.get(SCRATCH, COUNTER).orElseThrow().value().text());
      assertTrue(found < acknowledged, "found " + found + " of " + acknowledged);
    }
  }
}
