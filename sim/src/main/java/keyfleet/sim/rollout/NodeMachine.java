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

/// The disk and the software of a node, which outlive the watchdog's process. The watchdog may
/// crash before and after each effect on them, and while it writes its journal.
final class NodeMachine {
  /// Observes the effects that the oracle checks, right after each.
  interface Observer {
    void onJournalWritten(JournalEntry entry);

    void onReleaseStarted(Sha256 release);
  }

  private final SimulatedHost host;
  private final Observer observer;
  private final FakeReleaseSlots slots;
  private final FakeReleaseFetcher fetcher;
  private final FakeHealthProbe probe;
  private @Nullable JournalEntry writtenEntry;
  private @Nullable JournalEntry syncedEntry;
  private int bootCount = 1;

  NodeMachine(SimulatedHost host, Sha256 running, Observer observer) {
    this.host = host;
    this.observer = observer;
    CrashInjector crashes = new CrashInjector();
    this.slots = new FakeReleaseSlots(running, crashes);
    this.fetcher = new FakeReleaseFetcher(slots, crashes);
    this.probe = new FakeHealthProbe(slots);
  }

  FakeReleaseFetcher fetcher() {
    return fetcher;
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

  /// A crash: an entry that was written but not synced survives, or not.
  void crash(boolean entrySurvives) {
    JournalEntry pending = writtenEntry;
    if (entrySurvives && pending != null && !pending.equals(syncedEntry)) {
      syncedEntry = pending;
      observer.onJournalWritten(pending);
    }
    writtenEntry = syncedEntry;
  }

  /// Earlier readings of the elapsed clock are meaningless from now on.
  void reboot() {
    bootCount++;
  }

  /// The ports that a watchdog's loop uses.
  WatchdogPorts portsFor(HostLoop loop, PortWrappers wrappers) {
    LongSupplier elapsed = wrappers.wrapClock(PortUser.WATCHDOG, host.clock());
    return new WatchdogPorts(
        () -> clockReading(elapsed.getAsLong()),
        wrappers.wrapJournal(journal(loop)),
        slots(loop),
        fetcher(loop),
        probe);
  }

  private ClockReading clockReading(long elapsed) {
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
      public void save(JournalEntry entry) {
        host.scheduler().countMessage();
        loop.reachWriteBoundary();
        writtenEntry = entry;
        loop.reachBoundary();
        syncedEntry = entry;
        observer.onJournalWritten(entry);
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
      public ReleaseVersion runningVersion() {
        return slots.runningVersion();
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

  private ReleaseFetcher fetcher(HostLoop loop) {
    return new ReleaseFetcher() {
      @Override
      public FetchStatus fetch(Sha256 release) {
        host.scheduler().countMessage();
        loop.reachBoundary();
        FetchStatus fetchStatus = fetcher.fetch(release);
        loop.reachBoundary();
        return fetchStatus;
      }

      @Override
      public ReleaseVerdict checkRules(Sha256 release) {
        return fetcher.checkRules(release);
      }
    };
  }
}
