package keyfleet.sim.host;

import java.util.function.LongSupplier;

/// A machine's two clocks. The elapsed one may run fast or slow, or stand still while the machine
/// sleeps; the wall may be off by minutes.
public final class HostClock implements LongSupplier {
  private final VirtualTimeScheduler timeline;
  private double rate = 1;
  private long rateSince;
  private long elapsedThen;
  private long lostTime;
  private long skew;
  private boolean tampered;

  HostClock(VirtualTimeScheduler timeline) {
    this.timeline = timeline;
  }

  /// Elapsed nanoseconds.
  @Override
  public long getAsLong() {
    return elapsedThen + (long) ((timeline.now() - rateSince) * rate) - lostTime;
  }

  public long wall() {
    return timeline.now() + skew;
  }

  /// From now on the elapsed clock runs at `newRate` times the true speed.
  void drift(double newRate) {
    elapsedThen = getAsLong();
    rateSince = timeline.now();
    rate = newRate;
    lostTime = 0;
    tampered |= newRate != 1;
  }

  /// The elapsed clock does not count the next `nanos`.
  void stopFor(long nanos) {
    lostTime += nanos;
    tampered = true;
  }

  void skew(long nanos) {
    skew = nanos;
  }

  /// Both are right again, apart from what was lost.
  void heal() {
    skew = 0;
    drift(1);
  }

  /// Whether the elapsed clock was ever wrong.
  public boolean wasTampered() {
    return tampered;
  }
}
