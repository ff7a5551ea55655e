package keyfleet.mongodb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import keyfleet.store.Bucket;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Value;
import keyfleet.store.WriteResult.Written;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.Test;

final class LossyMongoServerTest {
  private static final Bucket SCRATCH = new Bucket.Lasting("scratch");
  private static final Key COUNTER = new Key("counter");

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
