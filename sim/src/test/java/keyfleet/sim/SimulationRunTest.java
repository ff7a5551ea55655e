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
import keyfleet.sim.SimulationRun.Passed;
import keyfleet.sim.SimulationRun.Violated;
import keyfleet.sim.fleet.FleetFactory;
import keyfleet.sim.fleet.InvariantViolation;
import keyfleet.sim.fleet.SimulatedFleet;
import keyfleet.sim.fleet.SimulatedWorld;
import keyfleet.sim.host.EventTrace;
import keyfleet.sim.host.Fault;
import keyfleet.sim.host.Fault.Kind;
import keyfleet.sim.host.FaultSchedule;
import keyfleet.sim.host.HostKv;
import keyfleet.sim.host.HostLoop;
import keyfleet.sim.host.SimulatedHost;
import keyfleet.sim.host.StoreLink;
import keyfleet.sim.host.VirtualTimeScheduler;
import keyfleet.store.Bucket;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.StoreException;
import keyfleet.store.Value;
import keyfleet.store.WriteResult.Written;
import org.junit.jupiter.api.Test;

/// Tests the simulator with a fleet that only increments a counter.
class SimulationRunTest {
  private static final Bucket COUNTERS = new Bucket.Lasting("counters");
  private static final Key COUNTER = new Key("counter");
  private static final Fault PAUSE = fault(Kind.PAUSE, 50, 60);
  private static final Fault SKEW = fault(Kind.SKEW, 20, 5);

  private enum Counting {
    BY_PUT,
    BY_COMPARE_AND_SET
  }

  private static Fault fault(Kind kind, long at, long lasts) {
    return new Fault(
        at * VirtualTimeScheduler.SECOND, kind, 0, lasts * VirtualTimeScheduler.SECOND, 0);
  }

  /// Two hosts increment a counter; it must never be less than the acknowledged increments.
  private record CountingFleet(
      SimulatedWorld world, Counting counting, List<SimulatedHost> hosts, AtomicLong acknowledged)
      implements SimulatedFleet {
    static FleetFactory factory(Counting counting) {
      return world ->
          new CountingFleet(
              world, counting, List.of(world.host("a"), world.host("b")), new AtomicLong());
    }

    @Override
    public void start() {
      for (SimulatedHost host : hosts) {
        host.start();
        HostLoop loop = new HostLoop(host);
        Kv kv = new HostKv(world.kv(), loop, HostKv.ReadMode.FRESH);
        loop.runEvery(10 * VirtualTimeScheduler.SECOND, () -> count(kv));
      }
    }

    private void count(Kv kv) {
      try {
        Optional<Entry> entry = kv.get(COUNTERS, COUNTER);
        Value next = Value.of(Long.toString(entry.map(CountingFleet::number).orElse(0L) + 1));
        boolean isWritten =
            counting == Counting.BY_PUT
                ? kv.put(COUNTERS, COUNTER, next) instanceof Written
                : entry
                        .map(it -> kv.update(COUNTERS, COUNTER, next, it.revision()))
                        .orElseGet(() -> kv.create(COUNTERS, COUNTER, next))
                    instanceof Written;
        acknowledged.addAndGet(isWritten ? 1 : 0);
      } catch (StoreException e) {
        world.note("counter", "the store is unreachable");
      }
    }

    private static long number(Entry entry) {
      return Long.parseLong(entry.value().text());
    }

    @Override
    public void inject(Fault fault) {
      switch (fault.kind()) {
        case PAUSE -> hosts.getFirst().pauseAfter(2, fault.duration());
        case CRASH -> hosts.getFirst().crashAfter(1);
        case CUT -> hosts.getFirst().setLink(StoreLink.CUT);
        default -> {}
      }
    }

    @Override
    public void heal() {
      hosts.forEach(SimulatedHost::heal);
    }

    @Override
    public void checkInvariants() {
      if (world.kv().get(COUNTERS, COUNTER).map(CountingFleet::number).orElse(0L)
          < acknowledged.get()) {
        throw new InvariantViolation("COUNT", "an acknowledged increment is lost");
      }
    }

    @Override
    public Optional<Supplier<String>> unfinishedWork() {
      return Optional.empty();
    }

    @Override
    public void checkFinalInvariants() {}
  }

  private static SimulationRun.Outcome run(Counting counting, Fault... faults) {
    FaultSchedule faultSchedule = new FaultSchedule(FaultSchedule.SHORT, List.of(faults));
    return new SimulationRun(CountingFleet.factory(counting), 7, faultSchedule, EventTrace.NONE)
        .execute();
  }

  @Test
  void withoutFaults_theRaceIsNotSeen() {
    assertInstanceOf(Passed.class, run(Counting.BY_PUT));
  }

  @Test
  void pauseBetweenReadAndWrite_showsTheRace() {
    Violated violated = assertInstanceOf(Violated.class, run(Counting.BY_PUT, PAUSE));
    assertEquals("COUNT", violated.invariant());
    assertInstanceOf(Passed.class, run(Counting.BY_COMPARE_AND_SET, PAUSE));
  }

  @Test
  void otherFaults_doNotShowTheRace() {
    assertInstanceOf(Passed.class, run(Counting.BY_PUT, fault(Kind.CRASH, 50, 60)));
    assertInstanceOf(Passed.class, run(Counting.BY_PUT, fault(Kind.CUT, 50, 60)));
  }

  @Test
  void swarm_findsTheRaceAndShrinksTheFaults() {
    FailingSeed failure =
        new Swarm(CountingFleet.factory(Counting.BY_PUT)).findFirst(0, 500).orElseThrow();
    assertEquals("COUNT", failure.violation().invariant());
    FaultSchedule minimal = failure.shrinkFaults();
    assertEquals(1, minimal.faults().size());
    assertEquals(Kind.PAUSE, minimal.faults().getFirst().kind());
    String report = failure.report("0123456");
    assertTrue(report.contains("seed " + failure.seed() + ", commit 0123456"), report);
    assertTrue(report.endsWith("Try: SIM_SEED=" + failure.seed() + " ./dev test"), report);
    Swarm right = new Swarm(CountingFleet.factory(Counting.BY_COMPARE_AND_SET));
    assertTrue(right.findFirst(0, 500).isEmpty());
  }

  @Test
  void seed_givesTheSameHistoryAgain() {
    assertEquals(history(SKEW, PAUSE), history(SKEW, PAUSE));
    assertFalse(history(SKEW, PAUSE).isEmpty());
  }

  private static List<String> history(Fault... faults) {
    EventTrace.LastLines trace = new EventTrace.LastLines();
    FleetFactory factory = CountingFleet.factory(Counting.BY_PUT);
    SimulationRun run =
        new SimulationRun(
            factory, 7, new FaultSchedule(FaultSchedule.SHORT, List.of(faults)), trace);
    trace.note(0, "end", () -> run.execute().toString());
    return trace.lines();
  }

  @Test
  void faultSchedules_useEveryKind() {
    List<Kind> kinds =
        LongStream.range(0, 500)
            .mapToObj(Swarm::faultsOf)
            .flatMap(faultSchedule -> faultSchedule.faults().stream())
            .map(Fault::kind)
            .distinct()
            .sorted()
            .toList();
    assertEquals(List.of(Kind.values()), kinds);
  }
}
