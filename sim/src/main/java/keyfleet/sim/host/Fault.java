package keyfleet.sim.host;

import java.util.Locale;

/// A fault that is injected into a run: when, what, where, and for how long. `choice` is a random
/// number that decides the details.
public record Fault(long at, Kind kind, int target, long duration, long choice) {
  public enum Kind {
    /// A process crashes in the middle of its work and restarts later.
    CRASH,
    /// As CRASH, and the restarted process lacks a key.
    KEY_LOST,
    /// A process stops for a while and keeps its memory: a long garbage collection, SIGSTOP.
    PAUSE,
    /// A machine is suspended, and its elapsed clock stops.
    SUSPEND,
    /// No message gets through, either way.
    CUT,
    /// Requests get through, answers do not.
    ONE_WAY,
    /// Some writes get no answer; the store applies them, or not, or late, or twice.
    UNSURE,
    /// Messages take seconds.
    DELAY,
    /// Reads that may be stale return old entries.
    STALE_READ,
    /// The store keeps expired entries for a while.
    LATE_TTL,
    /// As CRASH, and the last writes of the process to its own disk are lost.
    LOST_SUFFIX,
    /// A host's wall clock is off by minutes.
    SKEW,
    /// A host's elapsed clock runs fast or slow.
    DRIFT,
    /// A key provider answers slowly, or not at all.
    PROVIDER,
    /// An operator gives an order at the wrong moment.
    OPERATOR,
    /// A process runs an old software version.
    OLD_BINARY;

    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  public Fault withTarget(int newTarget) {
    return new Fault(at, kind, newTarget, duration, choice);
  }

  @Override
  public String toString() {
    return "%.1fs %s of %d for %.1fs (choice %d)"
        .formatted(seconds(at), kind.label(), target, seconds(duration), choice);
  }

  private static double seconds(long nanos) {
    return nanos / (double) VirtualTimeScheduler.SECOND;
  }
}
