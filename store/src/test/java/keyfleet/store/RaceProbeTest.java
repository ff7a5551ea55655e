package keyfleet.store;

import static keyfleet.store.Fixtures.key;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import keyfleet.store.RaceProbe.Broken;
import keyfleet.store.RaceProbe.Kept;
import keyfleet.store.RaceProbe.Unclear;
import keyfleet.store.RaceProbe.Verdict;
import keyfleet.store.UnsureKv.Trouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RaceProbeTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Bucket SCRATCH = new Bucket.Lasting("keyfleet_probe");

  private final Kv sound = new FakeKv(new StoreClock());

  @Test
  void soundStore_keepsAllAndIsLeftClean() {
    assertEquals(new Kept(50), probe(sound, System::nanoTime));
    assertEquals(0, sound.list(SCRATCH, Prefix.ALL).size());
  }

  @ParameterizedTest
  @EnumSource(
      value = KvFlaw.class,
      names = {"LOSSY", "STALE", "CHECKED_THEN_WRITTEN", "UPDATES_ANY_REVISION"})
  void unsoundStore_isCaught(KvFlaw flaw) {
    assertInstanceOf(Broken.class, probe(flaw.in(sound), System::nanoTime));
  }

  @Test
  void unansweredWrites_areNotTakenForLostOnes() {
    AtomicLong calls = new AtomicLong();
    Kv unsure =
        new UnsureKv(
            sound, () -> calls.incrementAndGet() % 7 == 0 ? Trouble.APPLIED : Trouble.NONE);
    assertInstanceOf(Kept.class, probe(unsure, System::nanoTime));
  }

  /// Each reading of the clock is a second later, as if each call took that long.
  @Test
  void slowStore_isNotTakenForAnUnsoundOne() {
    AtomicLong now = new AtomicLong();
    LongSupplier clock = () -> now.addAndGet(Duration.ofSeconds(1).toNanos());
    Unclear unclear = assertInstanceOf(Unclear.class, probe(sound, clock));
    assertTrue(unclear.sentence().startsWith("only 19 of 50 races"), unclear::sentence);
  }

  @Test
  void takenScratchKey_isUnclear() {
    sound.create(SCRATCH, key("probe"), Value.of("another's"));
    assertInstanceOf(Unclear.class, probe(sound, System::nanoTime));
  }

  private static Verdict probe(Kv kv, LongSupplier clock) {
    return new RaceProbe(kv, "probe", clock, LIMIT).run();
  }
}
