package keyfleet.member.heartbeat;

import static keyfleet.member.MemberFixtures.origin;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Timings;
import keyfleet.member.document.HeartbeatDocument;
import keyfleet.member.document.RosterStore;
import keyfleet.member.heartbeat.HeartbeatWriter.Acknowledged;
import keyfleet.store.FakeKv;
import keyfleet.store.FakeStoreClock;
import keyfleet.store.MalformedValueException;
import keyfleet.store.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeartbeatRosterTest {
  private static final Timings QUICK =
      new Timings(
          Duration.ofMillis(200),
          Duration.ofMillis(400),
          Duration.ofMillis(800),
          Duration.ofSeconds(1),
          Duration.ofMillis(400));

  private final FakeStoreClock time = new FakeStoreClock();
  private final FakeKv kv = new FakeKv(time);
  private final KeyringName other = new KeyringName("other");
  private int nonces;

  private HeartbeatWriter writer(KeyringName keyring) {
    return new HeartbeatWriter(kv, keyring, () -> "n-" + nonces++);
  }

  private static Heartbeat beat(long epoch) {
    return new Heartbeat(origin("api-1", "run-1"), Map.of(), null, 1, epoch, Instant.EPOCH);
  }

  @Test
  void keyringsOfDifferentTimings_shareOneStore() {
    RosterStore defaults = new RosterStore(kv, KeyringName.MAIN);
    RosterStore quick = new RosterStore(kv, other);
    assertInstanceOf(Acknowledged.class, writer(KeyringName.MAIN).write(beat(1), Timings.DEFAULT));
    assertInstanceOf(Acknowledged.class, writer(other).write(beat(1), QUICK));
    assertEquals(1, quick.read(QUICK).heartbeats().size());
    time.advance(QUICK.expire());
    assertEquals(0, quick.read(QUICK).heartbeats().size());
    assertEquals(1, defaults.read(Timings.DEFAULT).heartbeats().size());
  }

  /// More heartbeats than the batches that are pending at a time.
  private static final int MANY = 12_345;

  private void writeManyHeartbeats() {
    for (int i = 0; i < MANY; i++) {
      String name = "host-%06d".formatted(i);
      Heartbeat beat = new Heartbeat(origin(name, "run-1"), Map.of(), null, 1, i, Instant.EPOCH);
      put(name, HeartbeatDocument.toDocument(beat, "n-" + i).toValue());
    }
  }

  private void put(String instance, Value value) {
    kv.put(RosterStore.bucket(Timings.DEFAULT), RosterStore.key(KeyringName.MAIN, instance), value);
  }

  @Test
  void largeFleet_isReadCompletelyAndInOrder() {
    writeManyHeartbeats();
    List<Heartbeat> beats =
        new RosterStore(kv, KeyringName.MAIN).read(Timings.DEFAULT).heartbeats();
    assertEquals(
        LongStream.range(0, MANY).boxed().toList(), beats.stream().map(Heartbeat::epoch).toList());
  }

  /// An application may block the common pool, or run on a machine that has none to spare.
  @Test
  void largeFleet_isParsedByNoThreadOfTheCommonPool() {
    writeManyHeartbeats();
    Set<String> threads = ConcurrentHashMap.newKeySet();
    new RosterStore(kv, KeyringName.MAIN)
        .read(Timings.DEFAULT, (beats, _) -> threads.add(Thread.currentThread().getName()));
    assertTrue(threads.contains("keyfleet-roster"), threads::toString);
    threads.removeAll(Set.of("keyfleet-roster", Thread.currentThread().getName()));
    assertEquals(Set.of(), threads);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 499, 6_000, MANY - 1})
  void unreadableHeartbeatInALargeFleet_makesTheRosterUnreadable(int number) {
    writeManyHeartbeats();
    put("host-%06d".formatted(number), Value.of("{\"instance\":1}"));
    RosterStore rosterStore = new RosterStore(kv, KeyringName.MAIN);
    assertThrows(MalformedValueException.class, () -> rosterStore.read(Timings.DEFAULT));
  }

  @Test
  void laterHeartbeat_replacesTheEarlierOne() {
    RosterStore rosterStore = new RosterStore(kv, KeyringName.MAIN);
    HeartbeatWriter writer = writer(KeyringName.MAIN);
    for (long epoch = 1; epoch <= 3; epoch++) {
      writer.write(beat(epoch), Timings.DEFAULT);
      Heartbeat seen = rosterStore.read(Timings.DEFAULT).heartbeats().getFirst();
      assertEquals(epoch, seen.epoch());
      time.advance(Duration.ofSeconds(1));
    }
  }
}
