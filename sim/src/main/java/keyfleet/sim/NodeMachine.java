package keyfleet.sim;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import keyfleet.rollout.ReleaseVersion;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.node.ClockReading;
import keyfleet.rollout.node.JournalEntry;
import keyfleet.rollout.release.ReleaseVerdict;
import keyfleet.watchdog.Artifacts;
import keyfleet.watchdog.FakeArtifacts;
import keyfleet.watchdog.FakeProbe;
import keyfleet.watchdog.FakeSlots;
import keyfleet.watchdog.Fetching;
import keyfleet.watchdog.Fuse;
import keyfleet.watchdog.Journal;
import keyfleet.watchdog.Machine;
import keyfleet.watchdog.Slots;
import org.jspecify.annotations.Nullable;

/// The disk and the software of a node: they outlive the watchdog's process. Its loop may die
/// before and after every effect on them, and in the middle of writing its journal.
final class NodeMachine {
  /// Told of every effect that matters, right after it.
  interface Witness {
    void journalled(JournalEntry page);

    void ran(Sha256 release);
  }

  private final Host host;
  private final Witness witness;
  private final FakeSlots slots;
  private final FakeArtifacts artifacts;
  private final FakeProbe probe;
  private @Nullable JournalEntry written;
  private @Nullable JournalEntry synced;
  private int boots = 1;

  NodeMachine(Host host, Sha256 running, Witness witness) {
    this.host = host;
    this.witness = witness;
    Fuse fuse = new Fuse();
    this.slots = new FakeSlots(running, fuse);
    this.artifacts = new FakeArtifacts(slots, fuse);
    this.probe = new FakeProbe(slots);
  }

  FakeArtifacts artifacts() {
    return artifacts;
  }

  FakeProbe probe() {
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
  Machine touchedBy(Loop loop, Ports ports) {
    LongSupplier elapsed = ports.clock(Part.WATCHDOG, host.clock());
    return new Machine(
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

  private Journal journal(Loop loop) {
    return new Journal() {
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

  private Slots slots(Loop loop) {
    return new Slots() {
      @Override
      public Sha256 running() {
        return slots.running();
      }

      @Override
      public ReleaseVersion releaseVersion() {
        return slots.releaseVersion();
      }

      @Override
      public Set<Sha256> held() {
        return slots.held();
      }

      @Override
      public void run(Sha256 release) {
        host.timeline().message();
        loop.beforeWrite();
        boolean changes = !slots.running().equals(release);
        slots.run(release);
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

  private Artifacts artifacts(Loop loop) {
    return new Artifacts() {
      @Override
      public Fetching fetch(Sha256 release) {
        host.timeline().message();
        loop.boundary();
        Fetching fetching = artifacts.fetch(release);
        loop.boundary();
        return fetching;
      }

      @Override
      public ReleaseVerdict judge(Sha256 release) {
        return artifacts.judge(release);
      }
    };
  }
}
