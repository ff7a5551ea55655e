package keyfleet.sim.host;

import java.util.function.LongSupplier;

/// A machine's two clocks. The elapsed clock may run fast or slow, or stop while the machine is
/// suspended; the wall clock may be off by minutes.
public final class HostClock implements LongSupplier {
  private final VirtualTimeScheduler scheduler;
  private double rate = 1;
  private long rateChangedAt;
  private long elapsedAtRateChange;
  private long lostTime;
  private long skew;
  private boolean everWrong;

  HostClock(VirtualTimeScheduler scheduler) {
    this.scheduler = scheduler;
  }

  /// Elapsed nanoseconds.
  @Override
  public long getAsLong() {
    return elapsedAtRateChange + (long) ((scheduler.now() - rateChangedAt) * rate) - lostTime;
  }

  public long wallTime() {
    return scheduler.now() + skew;
  }

  /// The elapsed clock runs at `newRate` times the true speed from now on.
  void setRate(double newRate) {
    elapsedAtRateChange = getAsLong();
    rateChangedAt = scheduler.now();
    rate = newRate;
    lostTime = 0;
    everWrong |= newRate != 1;
  }

  /// The elapsed clock does not count the next `nanos`.
  void stopFor(long nanos) {
    lostTime += nanos;
    everWrong = true;
  }

  void setSkew(long nanos) {
    skew = nanos;
  }

  /// Both clocks are right again, except for the time that the elapsed clock has lost.
  void heal() {
    skew = 0;
    setRate(1);
  }

  /// Whether the elapsed clock was ever wrong.
  public boolean hasBeenWrong() {
    return everWrong;
  }
}
