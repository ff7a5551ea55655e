package keyfleet.sim.rollout;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import keyfleet.rollout.ReleaseVersion;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.node.ClockReading;
import keyfleet.rollout.node.JournalEntry;
import keyfleet.rollout.release.ReleaseVerdict;
import keyfleet.sim.fleet.PortUser;
import keyfleet.sim.fleet.PortWrappers;
import keyfleet.sim.host.HostLoop;
import keyfleet.sim.host.SimulatedHost;
import keyfleet.watchdog.CrashInjector;
import keyfleet.watchdog.FakeHealthProbe;
import keyfleet.watchdog.FakeReleaseFetcher;
import keyfleet.watchdog.FakeReleaseSlots;
import keyfleet.watchdog.FetchStatus;
import keyfleet.watchdog.JournalStore;
import keyfleet.watchdog.ReleaseFetcher;
import keyfleet.watchdog.ReleaseSlots;
import keyfleet.watchdog.WatchdogPorts;
import org.jspecify.annotations.Nullable;

/// The disk and the software of a node: they outlive the watchdog's process. Its loop may die
/// before and after every effect on them, and in the middle of writing its journal.
final class NodeMachine {
  /// Told of every effect that matters, right after it.
  interface Observer {
    void journalled(JournalEntry page);

    void ran(Sha256 release);
  }

  private final SimulatedHost host;
  private final Observer witness;
  private final FakeReleaseSlots slots;
  private final FakeReleaseFetcher artifacts;
  private final FakeHealthProbe probe;
  private @Nullable JournalEntry written;
  private @Nullable JournalEntry synced;
  private int boots = 1;

  NodeMachine(SimulatedHost host, Sha256 running, Observer witness) {
    this.host = host;
    this.witness = witness;
    CrashInjector crashInjector = new CrashInjector();
    this.slots = new FakeReleaseSlots(running, crashInjector);
    this.artifacts = new FakeReleaseFetcher(slots, crashInjector);
    this.probe = new FakeHealthProbe(slots);
  }

  FakeReleaseFetcher artifacts() {
    return artifacts;
  }

  FakeHealthProbe probe() {
    return probe;
  }

  Sha256 running() {
    return slots.running();
  }

  Optional<JournalEntry> page() {
    return Optional.ofNullable(synced);
  }

  /// A page that was written and not synced: after a crash it is there or not.
  void crashed(boolean kept) {
    JournalEntry pending = written;
    if (kept && pending != null && !pending.equals(synced)) {
      synced = pending;
      witness.journalled(pending);
    }
    written = synced;
  }

  /// The elapsed clock means something else from now on.
  void reboot() {
    boots++;
  }

  /// What a watchdog's loop touches.
  WatchdogPorts touchedBy(HostLoop loop, PortWrappers ports) {
    LongSupplier elapsed = ports.clock(PortUser.WATCHDOG, host.clock());
    return new WatchdogPorts(
        () -> moment(elapsed.getAsLong()),
        ports.journal(journal(loop)),
        slots(loop),
        artifacts(loop),
        probe);
  }

  private ClockReading moment(long elapsed) {
    long wall = host.clock().wall();
    return new ClockReading("boot-" + boots, elapsed, Instant.EPOCH.plusNanos(wall));
  }

  private JournalStore journal(HostLoop loop) {
    return new JournalStore() {
      @Override
      public Optional<JournalEntry> load() {
        return page();
      }

      @Override
      public void save(JournalEntry page) {
        host.timeline().message();
        loop.beforeWrite();
        written = page;
        loop.boundary();
        synced = page;
        witness.journalled(page);
        loop.boundary();
      }
    };
  }

  private ReleaseSlots slots(HostLoop loop) {
    return new ReleaseSlots() {
      @Override
      public Sha256 running() {
        return slots.running();
      }

      @Override
      public ReleaseVersion releaseVersion() {
        return slots.releaseVersion();
      }

      @Override
      public Set<Sha256> installed() {
        return slots.installed();
      }

      @Override
      public void activate(Sha256 release) {
        host.timeline().message();
        loop.beforeWrite();
        boolean changes = !slots.running().equals(release);
        slots.activate(release);
        if (changes) {
          witness.ran(release);
        }
        loop.boundary();
      }

      @Override
      public void discard(Sha256 release) {
        host.timeline().message();
        loop.boundary();
        slots.discard(release);
        loop.boundary();
      }
    };
  }

  private ReleaseFetcher artifacts(HostLoop loop) {
    return new ReleaseFetcher() {
      @Override
      public FetchStatus fetch(Sha256 release) {
        host.timeline().message();
        loop.boundary();
        FetchStatus fetchStatus = artifacts.fetch(release);
        loop.boundary();
        return fetchStatus;
      }

      @Override
      public ReleaseVerdict checkRules(Sha256 release) {
        return artifacts.checkRules(release);
      }
    };
  }
}
