package keyfleet.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import keyfleet.sim.Fault.Kind;
import keyfleet.sim.Run.Broken;
import keyfleet.sim.Run.Kept;
import keyfleet.store.Bucket;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.StoreException;
import keyfleet.store.Value;
import keyfleet.store.WriteResult.Written;
import org.junit.jupiter.api.Test;

/// The simulator itself, on a fleet that only counts.
class RunTest {
  private static final Bucket COUNTERS = new Bucket.Lasting("counters");
  private static final Key COUNTER = new Key("counter");
  private static final Fault PAUSE = fault(Kind.PAUSE, 50, 60);
  private static final Fault SKEW = fault(Kind.SKEW, 20, 5);

  private enum Counting {
    BY_PUT,
    BY_COMPARE_AND_SET
  }

  private static Fault fault(Kind kind, long at, long lasts) {
    return new Fault(at * Timeline.SECOND, kind, 0, lasts * Timeline.SECOND, 0);
  }

  /// Two hosts count; the counter must never be less than what was acknowledged.
  private record CountingFleet(
      World world, Counting counting, List<Host> hosts, AtomicLong acknowledged) implements Fleet {
    static Universe universe(Counting counting) {
      return world ->
          new CountingFleet(
              world, counting, List.of(world.host("a"), world.host("b")), new AtomicLong());
    }

    @Override
    public void start() {
      for (Host host : hosts) {
        host.start();
        Loop loop = new Loop(host);
        Kv kv = new HostKv(world.kv(), loop, HostKv.Reads.FRESH);
        loop.every(10 * Timeline.SECOND, () -> count(kv));
      }
    }

    private void count(Kv kv) {
      try {
        Optional<Entry> entry = kv.get(COUNTERS, COUNTER);
        Value next = Value.of(Long.toString(entry.map(CountingFleet::number).orElse(0L) + 1));
        boolean done =
            counting == Counting.BY_PUT
                ? kv.put(COUNTERS, COUNTER, next) instanceof Written
                : entry
                        .map(it -> kv.update(COUNTERS, COUNTER, next, it.revision()))
                        .orElseGet(() -> kv.create(COUNTERS, COUNTER, next))
                    instanceof Written;
        acknowledged.addAndGet(done ? 1 : 0);
      } catch (StoreException e) {
        world.note("counter", "no store");
      }
    }

    private static long number(Entry entry) {
      return Long.parseLong(entry.value().text());
    }

    @Override
    public void strike(Fault fault) {
      switch (fault.kind()) {
        case PAUSE -> hosts.getFirst().pauseAfter(2, fault.lasts());
        case CRASH -> hosts.getFirst().crashAfter(1);
        case CUT -> hosts.getFirst().link(Link.CUT);
        default -> {}
      }
    }

    @Override
    public void calm() {
      hosts.forEach(Host::heal);
    }

    @Override
    public void check() {
      if (world.kv().get(COUNTERS, COUNTER).map(CountingFleet::number).orElse(0L)
          < acknowledged.get()) {
        throw new BrokenPromise("COUNT", "an acknowledged step is lost");
      }
    }

    @Override
    public Optional<Supplier<String>> unfinished() {
      return Optional.empty();
    }

    @Override
    public void checkEnd() {}
  }

  private static Run.Outcome run(Counting counting, Fault... faults) {
    Weather weather = new Weather(Weather.SHORT, List.of(faults));
    return new Run(CountingFleet.universe(counting), 7, weather, Diary.NONE).outcome();
  }

  @Test
  void calmWeather_hidesTheRace() {
    assertInstanceOf(Kept.class, run(Counting.BY_PUT));
  }

  @Test
  void sleepBetweenReadAndWrite_showsTheRace() {
    Broken broken = assertInstanceOf(Broken.class, run(Counting.BY_PUT, PAUSE));
    assertEquals("COUNT", broken.promise());
    assertInstanceOf(Kept.class, run(Counting.BY_COMPARE_AND_SET, PAUSE));
  }

  @Test
  void otherFaults_doNotShowIt() {
    assertInstanceOf(Kept.class, run(Counting.BY_PUT, fault(Kind.CRASH, 50, 60)));
    assertInstanceOf(Kept.class, run(Counting.BY_PUT, fault(Kind.CUT, 50, 60)));
  }

  @Test
  void swarm_findsItAndShrinksTheWeather() {
    Finding finding =
        new Swarm(CountingFleet.universe(Counting.BY_PUT)).first(0, 500).orElseThrow();
    assertEquals("COUNT", finding.broken().promise());
    Weather least = finding.leastWeather();
    assertEquals(1, least.faults().size());
    assertEquals(Kind.PAUSE, least.faults().getFirst().kind());
    String words = finding.words("0123456");
    assertTrue(words.contains("seed " + finding.seed() + ", commit 0123456"), words);
    assertTrue(words.endsWith("Try: SIM_SEED=" + finding.seed() + " ./dev test"), words);
    Swarm right = new Swarm(CountingFleet.universe(Counting.BY_COMPARE_AND_SET));
    assertTrue(right.first(0, 500).isEmpty());
  }

  @Test
  void seed_givesTheSameHistoryAgain() {
    assertEquals(history(SKEW, PAUSE), history(SKEW, PAUSE));
    assertFalse(history(SKEW, PAUSE).isEmpty());
  }

  private static List<String> history(Fault... faults) {
    Diary.Kept diary = new Diary.Kept();
    Universe universe = CountingFleet.universe(Counting.BY_PUT);
    Run run = new Run(universe, 7, new Weather(Weather.SHORT, List.of(faults)), diary);
    diary.note(0, "end", () -> run.outcome().toString());
    return diary.lines();
  }

  @Test
  void weather_isMadeOfEveryKind() {
    List<Kind> kinds =
        LongStream.range(0, 500)
            .mapToObj(Swarm::weather)
            .flatMap(weather -> weather.faults().stream())
            .map(Fault::kind)
            .distinct()
            .sorted()
            .toList();
    assertEquals(List.of(Kind.values()), kinds);
  }
}
