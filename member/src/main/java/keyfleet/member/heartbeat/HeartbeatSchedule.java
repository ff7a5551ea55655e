package keyfleet.member.heartbeat;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import keyfleet.keyring.Timings;

/// When the next round is due. One thread waits for it; any thread may bring it forward.
public final class HeartbeatSchedule {
  /// A wait does not notice that the machine was suspended, the clock does: so it is asked again
  /// after this long.
  private static final long LONGEST_WAIT_NANOS = Duration.ofSeconds(1).toNanos();

  /// A store that answers slowly is left alone between rounds for at least this part of the pause.
  private static final int MIN_REST_DIVISOR = 10;

  private final LongSupplier clock;
  private final HeartbeatDelayPolicy delayPolicy;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Timings timings = Timings.DEFAULT;
  private long due;

  /// Whether anything happened since the last round began, which it may not have seen.
  private boolean hinted;

  private boolean stopped;

  /// The first round is due at once.
  public HeartbeatSchedule(LongSupplier clock, HeartbeatDelayPolicy delayPolicy) {
    this.clock = clock;
    this.delayPolicy = delayPolicy;
    this.due = clock.getAsLong();
  }

  /// A round begins. What happens from here on is for the next.
  long beginRound() {
    lock.lock();
    try {
      hinted = false;
      return now();
    } finally {
      lock.unlock();
    }
  }

  /// A round that began at `began` is over. The pause counts from its beginning, as the lease does.
  void endRound(long began, Timings fleet, HeartbeatDelayPolicy.Urgency urgency) {
    lock.lock();
    try {
      timings = fleet;
      long pause =
          delayPolicy.delay(fleet, hinted ? HeartbeatDelayPolicy.Urgency.SOON : urgency).toNanos();
      long rest = now() + pause / MIN_REST_DIVISOR;
      due = Math.max(began + pause, rest);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Something happened that a round should look at.
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

  /// Nothing or less if a round is due.
  public long nanosUntilDue() {
    lock.lock();
    try {
      return due - now();
    } finally {
      lock.unlock();
    }
  }

  /// No further round comes due.
  void stop() {
    lock.lock();
    try {
      stopped = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Waits until a round is due. False once it has ended.
  boolean awaitDue() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = due - now();
      while (!stopped && left > 0) {
        var _ = changed.awaitNanos(Math.min(left, LONGEST_WAIT_NANOS));
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
