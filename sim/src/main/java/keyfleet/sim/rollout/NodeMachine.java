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
    void onJournalWritten(JournalEntry page);

    void onReleaseStarted(Sha256 release);
  }

  private final SimulatedHost host;
  private final Observer observer;
  private final FakeReleaseSlots slots;
  private final FakeReleaseFetcher artifacts;
  private final FakeHealthProbe probe;
  private @Nullable JournalEntry writtenEntry;
  private @Nullable JournalEntry syncedEntry;
  private int bootCount = 1;

  NodeMachine(SimulatedHost host, Sha256 running, Observer observer) {
    this.host = host;
    this.observer = observer;
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

  Optional<JournalEntry> journalEntry() {
    return Optional.ofNullable(syncedEntry);
  }

  /// A page that was written and not synced: after a crash it is there or not.
  void crash(boolean kept) {
    JournalEntry pending = writtenEntry;
    if (kept && pending != null && !pending.equals(syncedEntry)) {
      syncedEntry = pending;
      observer.onJournalWritten(pending);
    }
    writtenEntry = syncedEntry;
  }

  /// The elapsed clock means something else from now on.
  void reboot() {
    bootCount++;
  }

  /// What a watchdog's loop touches.
  WatchdogPorts portsFor(HostLoop loop, PortWrappers wrappers) {
    LongSupplier elapsed = wrappers.wrapClock(PortUser.WATCHDOG, host.clock());
    return new WatchdogPorts(
        () -> moment(elapsed.getAsLong()),
        wrappers.wrapJournal(journal(loop)),
        slots(loop),
        artifacts(loop),
        probe);
  }

  private ClockReading moment(long elapsed) {
    long wall = host.clock().wallTime();
    return new ClockReading("boot-" + bootCount, elapsed, Instant.EPOCH.plusNanos(wall));
  }

  private JournalStore journal(HostLoop loop) {
    return new JournalStore() {
      @Override
      public Optional<JournalEntry> load() {
        return journalEntry();
      }

      @Override
      public void save(JournalEntry page) {
        host.scheduler().countMessage();
        loop.reachWriteBoundary();
        writtenEntry = page;
        loop.reachBoundary();
        syncedEntry = page;
        observer.onJournalWritten(page);
        loop.reachBoundary();
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
        host.scheduler().countMessage();
        loop.reachWriteBoundary();
        boolean changes = !slots.running().equals(release);
        slots.activate(release);
        if (changes) {
          observer.onReleaseStarted(release);
        }
        loop.reachBoundary();
      }

      @Override
      public void discard(Sha256 release) {
        host.scheduler().countMessage();
        loop.reachBoundary();
        slots.discard(release);
        loop.reachBoundary();
      }
    };
  }

  private ReleaseFetcher artifacts(HostLoop loop) {
    return new ReleaseFetcher() {
      @Override
      public FetchStatus fetch(Sha256 release) {
        host.scheduler().countMessage();
        loop.reachBoundary();
        FetchStatus fetchStatus = artifacts.fetch(release);
        loop.reachBoundary();
        return fetchStatus;
      }

      @Override
      public ReleaseVerdict checkRules(Sha256 release) {
        return artifacts.checkRules(release);
      }
    };
  }
}
