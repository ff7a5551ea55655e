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
  private static final List<Integer> HICCUPS = List.of(0, 0, 100, 25);

  private static final long LONGEST_SUFFIX = 20 * VirtualTimeScheduler.SECOND;

  private final SeededRandom dice;
  private final FaultSchedule weather;
  private final EventTrace diary;
  private final int hiccups;
  private final FakeStoreClock fakeStoreClock = new FakeStoreClock();
  private final FakeKv kv = new FakeKv(fakeStoreClock);
  private final VirtualTimeScheduler timeline = new VirtualTimeScheduler(this::pass);

  public SimulatedWorld(SeededRandom dice, FaultSchedule weather, EventTrace diary) {
    this.dice = dice;
    this.weather = weather;
    this.diary = diary;
    this.hiccups = dice.named("hiccups").pick(HICCUPS);
  }

  private void pass(long now) {
    fakeStoreClock.advance(
        Duration.ofMillis(now / VirtualTimeScheduler.MILLI - fakeStoreClock.now().millis()));
  }

  public VirtualTimeScheduler timeline() {
    return timeline;
  }

  public SeededRandom dice() {
    return dice;
  }

  /// Whether a kind of fault comes up in this run at all.
  boolean expects(Fault.Kind kind) {
    return weather.faults().stream().anyMatch(fault -> fault.kind() == kind);
  }

  /// For a loop that claims to survive reads of the past. In most runs there are none, and what was
  /// seen need not be remembered.
  public HostKv.ReadMode anyReads() {
    return expects(Fault.Kind.STALE_READ) ? HostKv.ReadMode.MAY_BE_STALE : HostKv.ReadMode.FRESH;
  }

  /// Whether nobody is ever held up but by a fault of its own.
  public boolean isPrompt() {
    return hiccups == 0;
  }

  public FakeKv kv() {
    return kv;
  }

  /// The store, bent by `ports`, with somebody who looks at every keystore that is written.
  public Kv watched(PortWrappers ports, RotationOracle truth) {
    return new ObservedWritesKv(
        ports.kv(PortUser.STORE, engine()),
        (bucket, write) -> {
          if (bucket.name().equals("keystores")) {
            truth.sees(KeystoreDocument.parse(Document.parse(write.value())));
          }
        });
  }

  public Kv engine() {
    return expects(Fault.Kind.LATE_TTL) ? new LateExpiryKv(kv) : kv;
  }

  /// The store loses what it is told from now until the fault's end, twenty seconds at most.
  public void loseSuffix(Fault fault) {
    Runnable back = kv.checkpoint();
    timeline.in(
        Math.min(fault.lasts(), LONGEST_SUFFIX),
        () -> {
          note("store", "loses what it wrote last");
          back.run();
        });
  }

  public SimulatedHost host(String name) {
    return new SimulatedHost(name, timeline, dice, diary, hiccups);
  }

  public void note(String who, String what) {
    diary.note(timeline.now(), who, () -> what);
  }
}
