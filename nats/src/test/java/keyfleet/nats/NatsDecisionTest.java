package keyfleet.nats;

import static keyfleet.store.StoreFixtures.THINGS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import keyfleet.nats.NatsMonitorClient.ServerReport;
import keyfleet.nats.NatsMonitorClient.Sync;
import keyfleet.nats.NatsSettings.DeclaredSync;
import keyfleet.nats.NatsSettings.Use;
import keyfleet.store.Bucket;
import keyfleet.store.Key;
import keyfleet.store.Prefix;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.StoreTime;
import keyfleet.store.engine.LatestStoreTime;
import keyfleet.store.engine.StoreCheck.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Decisions that need no server: durability, store time, expiry, subjects.
class NatsDecisionTest {
  /// Servers as `NAME:SYNC`, in a cluster of `size`; the engine is connected to `a`.
  @ParameterizedTest
  @CsvSource({
    "a:ALWAYS, 1, NONE, EVERYTHING, OK",
    "a:LATER, 1, NONE, EVERYTHING, refused",
    "a:LATER, 1, SYNC_ALWAYS, EVERYTHING, refused",
    "a:LATER, 1, NONE, HEARTBEATS, WARN",
    "b:ALWAYS, 1, NONE, EVERYTHING, refused",
    "a:ALWAYS b:ALWAYS c:ALWAYS, 3, NONE, EVERYTHING, OK",
    "a:ALWAYS b:ALWAYS, 3, NONE, EVERYTHING, refused",
    "a:ALWAYS a:ALWAYS a:ALWAYS, 3, NONE, EVERYTHING, refused",
    "a:ALWAYS b:ALWAYS, 3, SYNC_ALWAYS, EVERYTHING, WARN",
    "a:ALWAYS b:ALWAYS c:LATER, 3, SYNC_ALWAYS, EVERYTHING, refused",
    "'', 0, NONE, EVERYTHING, refused",
    "'', 0, SYNC_ALWAYS, EVERYTHING, WARN",
    "'', 0, NONE, HEARTBEATS, WARN",
  })
  void durability_isSeenOrDeclaredOrRefused(
      String servers, int size, DeclaredSync declaredSync, Use use, String expected) {
    NatsDurabilityCheck durabilityCheck =
        new NatsDurabilityCheck(new NatsSettings("", 0, List.of(), declaredSync, use));
    List<ServerReport> reports =
        Stream.of(servers.split(" "))
            .filter(it -> !it.isEmpty())
            .map(it -> report(it, size))
            .toList();
    if (expected.equals("refused")) {
      assertThrows(StoreRefusedException.class, () -> durabilityCheck.check("a", reports));
    } else {
      assertEquals(Level.valueOf(expected), durabilityCheck.check("a", reports).level());
    }
  }

  @Test
  void storeTime_doesNotGoBackWithANewLeader() {
    LatestStoreTime time = new LatestStoreTime();
    assertEquals(new StoreTime(5_000), time.observe(5_000));
    assertEquals(new StoreTime(5_000), time.observe(4_000));
    assertEquals(new StoreTime(5_001), time.observe(5_001));
  }

  @Test
  void value_livesUntilItsLifetimeIsReached() {
    NatsStream heartbeats =
        new NatsStream(new Bucket.Expiring("beats", Duration.ofSeconds(2)), "beats");
    StoreTime written = new StoreTime(10_000);
    assertEquals(true, heartbeats.isLive(written, new StoreTime(11_999)));
    assertEquals(false, heartbeats.isLive(written, new StoreTime(12_000)));
    assertEquals(
        true, heartbeats.isLive(written, new StoreTime(9_000)), "a leader whose clock is behind");
    assertEquals(true, new NatsStream(THINGS, "things").isLive(written, new StoreTime(99_000_000)));
  }

  @Test
  void key_isTheEndOfItsSubject() {
    NatsStream stream = new NatsStream(THINGS, "t1-things");
    Key key = new Key("a/b=c_d-e.F");
    assertEquals("KV_t1-things", stream.name());
    assertEquals("$KV.t1-things.a/b=c_d-e.F", stream.subject(key));
    assertEquals(key, stream.key(stream.subject(key)));
    assertEquals("$KV.t1-things.n.>", stream.filter(Prefix.under(new Key("n"))));
  }

  private static ServerReport report(String server, int size) {
    String[] parts = server.split(":", 2);
    return new ServerReport(parts[0], "2.15.2", Sync.valueOf(parts[1]), size, Instant.EPOCH);
  }
}
