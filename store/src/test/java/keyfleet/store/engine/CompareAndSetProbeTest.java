package keyfleet.store.engine;

import static keyfleet.store.StoreFixtures.key;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import keyfleet.store.Bucket;
import keyfleet.store.FakeKv;
import keyfleet.store.FakeStoreClock;
import keyfleet.store.Kv;
import keyfleet.store.KvFlaw;
import keyfleet.store.Prefix;
import keyfleet.store.UnreliableKv;
import keyfleet.store.UnreliableKv.Fault;
import keyfleet.store.Value;
import keyfleet.store.engine.CompareAndSetProbe.Failed;
import keyfleet.store.engine.CompareAndSetProbe.Inconclusive;
import keyfleet.store.engine.CompareAndSetProbe.Passed;
import keyfleet.store.engine.CompareAndSetProbe.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CompareAndSetProbeTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Bucket SCRATCH = new Bucket.Lasting("keyfleet_probe");

  private final Kv sound = new FakeKv(new FakeStoreClock());

  @Test
  void soundStore_passesAndIsLeftClean() {
    assertEquals(new Passed(100), probe(sound, System::nanoTime));
    assertEquals(0, sound.list(SCRATCH, Prefix.ALL).size());
  }

  @ParameterizedTest
  @EnumSource(
      value = KvFlaw.class,
      names = {
        "LOSSY",
        "STALE",
        "CHECKED_THEN_WRITTEN",
        "CREATES_CHECKED_THEN_WRITTEN",
        "UPDATES_ANY_REVISION"
      })
  void unsoundStore_isCaught(KvFlaw flaw) {
    assertInstanceOf(Failed.class, probe(flaw.applyTo(sound), System::nanoTime));
  }

  @Test
  void unansweredWrites_areNotCountedAsLost() {
    AtomicLong calls = new AtomicLong();
    Kv unreliable =
        new UnreliableKv(
            sound, () -> calls.incrementAndGet() % 7 == 0 ? Fault.APPLIED : Fault.NONE);
    assertInstanceOf(Passed.class, probe(unreliable, System::nanoTime));
  }

  /// Each reading of the clock is a second later, as if each call took that long.
  @Test
  void slowStore_isInconclusive() {
    AtomicLong now = new AtomicLong();
    LongSupplier clock = () -> now.addAndGet(Duration.ofSeconds(1).toNanos());
    Inconclusive inconclusive = assertInstanceOf(Inconclusive.class, probe(sound, clock));
    assertTrue(inconclusive.sentence().startsWith("only 19 of 100 races"), inconclusive::sentence);
  }

  @Test
  void takenScratchKey_isInconclusive() {
    sound.create(SCRATCH, key("probe"), Value.of("another's"));
    assertInstanceOf(Inconclusive.class, probe(sound, System::nanoTime));
  }

  private static Verdict probe(Kv kv, LongSupplier clock) {
    return new CompareAndSetProbe(kv, "probe", clock, LIMIT).run();
  }
}
