package keyfleet.nats;

import static keyfleet.store.StoreFixtures.assertWritten;
import static org.junit.jupiter.api.Assertions.assertEquals;

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
import keyfleet.store.engine.LatestStoreTime;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Expired entries that the server has not swept yet: entries live a minute, and the client's store
/// time is ahead of the server's clock.
class NatsExpiryTest {
  private static final Duration LIFETIME = Duration.ofMinutes(1);
  private static final Bucket HEARTBEATS = new Bucket.Expiring("beats", LIFETIME);
  private static final Key A = new Key("a");

  @Test
  void expiredEntry_isGoneForEachCall(@TempDir(factory = InMemoryTempDir.class) Path folder) {
    try (NatsTestServer server = NatsTestServer.start(folder, NatsTestServer.DURABLE)) {
      StoreUrl url = server.url("?sync_interval=always");
      LatestStoreTime latestTime = new LatestStoreTime();
      NatsWatchRegistry watchRegistry = new NatsWatchRegistry();
      try (NatsConnection connection = new NatsConnector(url).connect(watchRegistry)) {
        NatsStreamRegistry streams =
            new NatsStreamRegistry(connection, NatsSettings.of(url), latestTime, false);
        streams.prepare(streams.clockStream());
        Kv kv = new NatsKv(streams, watchRegistry);
        Revision old = assertWritten(kv.put(HEARTBEATS, A, Value.of("one")));
        assertEquals(List.of(A), kv.list(HEARTBEATS, Prefix.ALL).stream().map(Entry::key).toList());
        latestTime.observe(kv.storeTime().plus(LIFETIME).millis());
        assertGone(kv, old);
      }
    }
  }

  private static void assertGone(Kv kv, Revision old) {
    assertEquals(Optional.empty(), kv.get(HEARTBEATS, A));
    assertEquals(List.of(), kv.list(HEARTBEATS, Prefix.ALL));
    assertEquals(new Conflict(), kv.update(HEARTBEATS, A, Value.of("late"), old));
    assertEquals(new Conflict(), kv.delete(HEARTBEATS, A, old));
    assertWritten(kv.create(HEARTBEATS, A, Value.of("two")));
  }
}
