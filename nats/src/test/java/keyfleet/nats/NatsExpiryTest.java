package keyfleet.nats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import keyfleet.store.Bucket;
import keyfleet.store.Conflict;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import keyfleet.store.Revision;
import keyfleet.store.Value;
import keyfleet.store.WriteResult.Written;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A server that has not yet swept away what ran out: its entries live a minute, and our store time
/// has gone ahead of it.
class NatsExpiryTest {
  private static final Duration LIFETIME = Duration.ofMinutes(1);
  private static final Bucket BEATS = new Bucket.Expiring("beats", LIFETIME);
  private static final Key A = new Key("a");

  @Test
  void entryThatRanOut_isGoneForEachCall(@TempDir(factory = InMemoryTempDir.class) Path folder) {
    try (NatsTestServer server = NatsTestServer.start(folder, NatsTestServer.DURABLE)) {
      StoreUrl url = server.url("?sync_interval=always");
      NatsStoreClock time = new NatsStoreClock();
      NatsWatchRegistry watches = new NatsWatchRegistry();
      try (NatsConnection link = new NatsConnector(url).open(watches)) {
        NatsStreamRegistry streams = new NatsStreamRegistry(link, NatsSettings.of(url), time);
        streams.prepare(streams.anchor());
        Kv kv = new NatsKv(streams, watches);
        Revision old =
            assertInstanceOf(Written.class, kv.put(BEATS, A, Value.of("one"))).revision();
        assertEquals(List.of(A), kv.list(BEATS, Prefix.ALL).stream().map(Entry::key).toList());
        time.see(kv.storeTime().plus(LIFETIME).millis());
        assertGone(kv, old);
      }
    }
  }

  private static void assertGone(Kv kv, Revision old) {
    assertEquals(Optional.empty(), kv.get(BEATS, A));
    assertEquals(List.of(), kv.list(BEATS, Prefix.ALL));
    assertEquals(new Conflict(), kv.update(BEATS, A, Value.of("late"), old));
    assertEquals(new Conflict(), kv.delete(BEATS, A, old));
    assertInstanceOf(Written.class, kv.create(BEATS, A, Value.of("two")));
  }
}
