package keyfleet.member.heartbeat;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import keyfleet.keyring.Timings;

/// When the next round is due. One thread waits for it; any thread may bring it forward.
public final class HeartbeatSchedule {
  /// A waiting thread does not notice that the machine was suspended, but the clock does. So the
  /// thread looks at the clock again after at most this long.
  private static final long MAX_WAIT_NANOS = Duration.ofSeconds(1).toNanos();

  /// After a slow round, the pause before the next one is at least this fraction of the usual
  /// pause.
  private static final int MIN_REST_DIVISOR = 10;

  private final LongSupplier clock;
  private final HeartbeatDelayPolicy delayPolicy;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Timings timings = Timings.DEFAULT;
  private long due;

  /// Whether something happened since the last round began that the round may have missed.
  private boolean hinted;

  private boolean stopped;

  /// The first round is due at once.
  public HeartbeatSchedule(LongSupplier clock, HeartbeatDelayPolicy delayPolicy) {
    this.clock = clock;
    this.delayPolicy = delayPolicy;
    this.due = clock.getAsLong();
  }

  /// Begins a round. Hints that arrive from now on are for the next round.
  long beginRound() {
    lock.lock();
    try {
      hinted = false;
      return now();
    } finally {
      lock.unlock();
    }
  }

  /// Ends the round that began at `startNanos`. The pause counts from its beginning, as the lease
  /// does.
  void endRound(long startNanos, Timings fleet, HeartbeatDelayPolicy.Urgency urgency) {
    lock.lock();
    try {
      timings = fleet;
      long pause =
          delayPolicy.delay(fleet, hinted ? HeartbeatDelayPolicy.Urgency.SOON : urgency).toNanos();
      long rest = now() + pause / MIN_REST_DIVISOR;
      due = Math.max(startNanos + pause, rest);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Makes the next round due soon, because something happened that it should read.
  public void bringForward() {
    lock.lock();
    try {
      hinted = true;
      due =
          Math.min(
              due, now() + delayPolicy.delay(timings, HeartbeatDelayPolicy.Urgency.SOON).toNanos());
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Zero or negative if a round is due.
  public long nanosUntilDue() {
    lock.lock();
    try {
      return due - now();
    } finally {
      lock.unlock();
    }
  }

  /// Stops: no further round becomes due.
  void stop() {
    lock.lock();
    try {
      stopped = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Waits until a round is due. Returns false once the schedule is stopped.
  boolean awaitDue() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = due - now();
      while (!stopped && left > 0) {
        var _ = changed.awaitNanos(Math.min(left, MAX_WAIT_NANOS));
        left = due - now();
      }
      return !stopped;
    } finally {
      lock.unlock();
    }
  }

  private long now() {
    return clock.getAsLong();
  }
}
