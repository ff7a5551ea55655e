package keyfleet.mongodb;

import static keyfleet.store.StoreFixtures.THINGS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.bson.Document;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.StoreTime;
import keyfleet.store.Value;
import org.junit.jupiter.api.Test;

/// Store time on servers whose clocks are wrong.
final class MongoStoreClockTest {
  private static final Key A = new Key("a");

  private final AtomicLong offSeconds = new AtomicLong();
  private final MongoServer server =
      MongoTestServers.start(new ScriptedMongoBackend(this::shiftClock));

  private Document shiftClock(ScriptedMongoBackend.Call call) {
    Document answer = call.forward();
    if (answer.get("localTime") instanceof Instant serverTime) {
      answer.put("localTime", serverTime.plusSeconds(offSeconds.get()));
    }
    return answer;
  }

  @Test
  void primaryWithAnEarlierClock_letsStoreTimeStandStill() {
    try (MongoTestServers.TestDatabase database = MongoTestServers.databaseOn(server);
        MongoEngine engine = MongoEngine.open(database.url())) {
      offSeconds.set(3_600);
      StoreTime ahead = engine.kv().storeTime();
      offSeconds.set(0);
      assertEquals(ahead, engine.kv().storeTime());
    } finally {
      server.shutdownNow();
    }
  }

  @Test
  void storeTime_isNotBeforeAnEntryThatWasSeen() {
    try (MongoTestServers.TestDatabase database = MongoTestServers.databaseOn(server)) {
      try (MongoEngine writer = MongoEngine.open(database.url())) {
        writer.kv().put(THINGS, A, Value.of("one"));
      }
      offSeconds.set(-3_600);
      try (MongoEngine engine = MongoEngine.open(database.url())) {
        Entry seen = engine.kv().get(THINGS, A).orElseThrow();
        StoreTime now = engine.kv().storeTime();
        assertTrue(now.compareTo(seen.writtenAt()) >= 0, now + " after " + seen);
      }
    } finally {
      server.shutdownNow();
    }
  }
}
