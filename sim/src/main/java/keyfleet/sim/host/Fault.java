package keyfleet.sim.host;

import java.util.Locale;

/// Something that goes wrong in a run: when, what, to whom, and for how long. `choice` decides what
/// is left open.
public record Fault(long at, Kind kind, int target, long duration, long choice) {
  public enum Kind {
    /// A process dies, in the middle of whatever it does, and starts again later.
    CRASH,
    /// As CRASH, and the new life lacks a key.
    KEY_LOST,
    /// A process stands still and remembers everything: a long collection, SIGSTOP.
    PAUSE,
    /// A machine sleeps, and its clock with it.
    SUSPEND,
    /// No message gets through, either way.
    CUT,
    /// Requests get through, answers do not.
    ONE_WAY,
    /// Some writes get no answer: applied, not applied, applied late, or applied twice.
    UNSURE,
    /// Messages take seconds.
    DELAY,
    /// Reads that decide nothing by themselves show the past.
    STALE_READ,
    /// Expired entries stay for a while.
    LATE_TTL,
    /// As CRASH, and what the process wrote to its own disk last is lost.
    LOST_SUFFIX,
    /// A host's wall clock is off by minutes.
    SKEW,
    /// A host's elapsed clock runs fast or slow.
    DRIFT,
    /// A key provider answers slowly, or not at all.
    PROVIDER,
    /// Somebody gives an order at the wrong moment.
    OPERATOR,
    /// A process runs a program that is too old.
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
