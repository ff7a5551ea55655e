package keyfleet.member;

import static keyfleet.member.Fixtures.origin;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Timings;
import keyfleet.member.Pulse.Acknowledged;
import keyfleet.store.FakeKv;
import keyfleet.store.StoreClock;
import org.junit.jupiter.api.Test;

class RostersTest {
  private static final Timings QUICK =
      new Timings(
          Duration.ofMillis(200),
          Duration.ofMillis(400),
          Duration.ofMillis(800),
          Duration.ofSeconds(1),
          Duration.ofMillis(400));

  private final StoreClock time = new StoreClock();
  private final FakeKv kv = new FakeKv(time);
  private final KeyringName other = new KeyringName("other");
  private int nonces;

  private Pulse pulse(KeyringName keyring) {
    return new Pulse(kv, keyring, () -> "n-" + nonces++);
  }

  private static Heartbeat beat(long epoch) {
    return new Heartbeat(origin("api-1", "run-1"), Map.of(), null, 1, epoch, Instant.EPOCH);
  }

  @Test
  void keyringsOfDifferentTimings_shareOneStore() {
    Rosters defaults = new Rosters(kv, KeyringName.MAIN);
    Rosters quick = new Rosters(kv, other);
    assertInstanceOf(Acknowledged.class, pulse(KeyringName.MAIN).beat(beat(1), Timings.DEFAULT));
    assertInstanceOf(Acknowledged.class, pulse(other).beat(beat(1), QUICK));
    assertEquals(1, quick.read(QUICK).beats().size());
    time.advance(QUICK.expire());
    assertEquals(0, quick.read(QUICK).beats().size());
    assertEquals(1, defaults.read(Timings.DEFAULT).beats().size());
  }

  @Test
  void laterBeat_isSeenByWhoReadTheEarlier() {
    Rosters rosters = new Rosters(kv, KeyringName.MAIN);
    Pulse pulse = pulse(KeyringName.MAIN);
    for (long epoch = 1; epoch <= 3; epoch++) {
      pulse.beat(beat(epoch), Timings.DEFAULT);
      Heartbeat seen = rosters.read(Timings.DEFAULT).beats().getFirst();
      assertEquals(epoch, seen.epoch());
      time.advance(Duration.ofSeconds(1));
    }
  }
}
