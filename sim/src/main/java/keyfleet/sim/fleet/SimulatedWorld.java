package keyfleet.sim.fleet;

import java.time.Duration;
import java.util.List;
import keyfleet.member.document.KeystoreDocument;
import keyfleet.sim.host.EventTrace;
import keyfleet.sim.host.Fault;
import keyfleet.sim.host.FaultSchedule;
import keyfleet.sim.host.HostKv;
import keyfleet.sim.host.LateExpiryKv;
import keyfleet.sim.host.SeededRandom;
import keyfleet.sim.host.SimulatedHost;
import keyfleet.sim.host.VirtualTimeScheduler;
import keyfleet.sim.rotation.RotationOracle;
import keyfleet.store.Document;
import keyfleet.store.FakeKv;
import keyfleet.store.FakeStoreClock;
import keyfleet.store.Kv;

/// What all fleets of a run share: time, chance, the store, and the diary.
public final class SimulatedWorld {
  /// One effect in so many takes seconds, until the weather is calm.
  private static final List<Integer> DELAY_ODDS = List.of(0, 0, 100, 25);

  private static final long MAX_LOST_SUFFIX = 20 * VirtualTimeScheduler.SECOND;

  private final SeededRandom random;
  private final FaultSchedule faults;
  private final EventTrace trace;
  private final int delayOdds;
  private final FakeStoreClock fakeStoreClock = new FakeStoreClock();
  private final FakeKv kv = new FakeKv(fakeStoreClock);
  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler(this::advanceStoreClock);

  public SimulatedWorld(SeededRandom random, FaultSchedule faults, EventTrace trace) {
    this.random = random;
    this.faults = faults;
    this.trace = trace;
    this.delayOdds = random.forPurpose("hiccups").pick(DELAY_ODDS);
  }

  private void advanceStoreClock(long now) {
    fakeStoreClock.advance(
        Duration.ofMillis(now / VirtualTimeScheduler.MILLI - fakeStoreClock.now().millis()));
  }

  public VirtualTimeScheduler scheduler() {
    return scheduler;
  }

  public SeededRandom random() {
    return random;
  }

  /// Whether a kind of fault comes up in this run at all.
  boolean hasFaults(Fault.Kind kind) {
    return faults.faults().stream().anyMatch(fault -> fault.kind() == kind);
  }

  /// For a loop that claims to survive reads of the past. In most runs there are none, and what was
  /// seen need not be remembered.
  public HostKv.ReadMode readMode() {
    return hasFaults(Fault.Kind.STALE_READ) ? HostKv.ReadMode.MAY_BE_STALE : HostKv.ReadMode.FRESH;
  }

  /// Whether nobody is ever held up but by a fault of its own.
  public boolean isPrompt() {
    return delayOdds == 0;
  }

  public FakeKv kv() {
    return kv;
  }

  /// The store, bent by `ports`, with somebody who looks at every keystore that is written.
  public Kv observedKv(PortWrappers wrappers, RotationOracle truth) {
    return new ObservedWritesKv(
        wrappers.wrapKv(PortUser.STORE, kvWithTtlFaults()),
        (bucket, write) -> {
          if (bucket.name().equals("keystores")) {
            truth.observeKeystore(KeystoreDocument.parse(Document.parse(write.value())));
          }
        });
  }

  public Kv kvWithTtlFaults() {
    return hasFaults(Fault.Kind.LATE_TTL) ? new LateExpiryKv(kv) : kv;
  }

  /// The store loses what it is told from now until the fault's end, twenty seconds at most.
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
