package keyfleet.sim.fleet;

import java.time.Duration;
import java.util.List;
import keyfleet.sim.host.EventTrace;
import keyfleet.sim.host.Fault;
import keyfleet.sim.host.FaultSchedule;
import keyfleet.sim.host.HostKv;
import keyfleet.sim.host.LateExpiryKv;
import keyfleet.sim.host.SeededRandom;
import keyfleet.sim.host.SimulatedHost;
import keyfleet.sim.host.VirtualTimeScheduler;
import keyfleet.store.FakeKv;
import keyfleet.store.FakeStoreClock;
import keyfleet.store.Kv;

/// What all fleets of a run share: time, randomness, the store and the trace.
public final class SimulatedWorld {
  /// Until the faults end, one effect in this many takes seconds; 0 means none.
  private static final List<Integer> DELAY_ODDS = List.of(0, 0, 100, 25);

  private static final long MAX_LOST_SUFFIX = 20 * VirtualTimeScheduler.SECOND;

  private final SeededRandom random;
  private final FaultSchedule faults;
  private final EventTrace trace;
  private final int delayOdds;
  private final FakeStoreClock storeClock = new FakeStoreClock();
  private final FakeKv kv = new FakeKv(storeClock);
  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler(this::advanceStoreClock);

  public SimulatedWorld(SeededRandom random, FaultSchedule faults, EventTrace trace) {
    this.random = random;
    this.faults = faults;
    this.trace = trace;
    this.delayOdds = random.forPurpose("hiccups").pick(DELAY_ODDS);
  }

  private void advanceStoreClock(long now) {
    storeClock.advance(
        Duration.ofMillis(now / VirtualTimeScheduler.MILLI - storeClock.now().millis()));
  }

  public VirtualTimeScheduler scheduler() {
    return scheduler;
  }

  public SeededRandom random() {
    return random;
  }

  /// Whether the run has any fault of this kind.
  public boolean hasFaults(Fault.Kind kind) {
    return faults.faults().stream().anyMatch(fault -> fault.kind() == kind);
  }

  /// For a loop that must survive stale reads. Most runs have none, and then old entries are not
  /// kept.
  public HostKv.ReadMode readMode() {
    return hasFaults(Fault.Kind.STALE_READ) ? HostKv.ReadMode.MAY_BE_STALE : HostKv.ReadMode.FRESH;
  }

  /// Whether processes are delayed only by faults.
  public boolean isPrompt() {
    return delayOdds == 0;
  }

  public FakeKv kv() {
    return kv;
  }

  /// The store as all processes see it; it may keep expired entries for too long.
  public Kv kvWithTtlFaults() {
    return hasFaults(Fault.Kind.LATE_TTL) ? new LateExpiryKv(kv) : kv;
  }

  /// The store loses the writes from now until the fault's end, twenty seconds at most.
  public void loseSuffix(Fault fault) {
    Runnable rollback = kv.checkpoint();
    scheduler.schedule(
        Math.min(fault.duration(), MAX_LOST_SUFFIX),
        () -> {
          note("store", "loses what it wrote last");
          rollback.run();
        });
  }

  public SimulatedHost host(String name) {
    return new SimulatedHost(name, scheduler, random, trace, delayOdds);
  }

  public void note(String source, String what) {
    trace.note(scheduler.now(), source, () -> what);
  }
}
