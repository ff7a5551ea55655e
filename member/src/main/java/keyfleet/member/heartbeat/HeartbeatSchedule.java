package keyfleet.member.heartbeat;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import keyfleet.keyring.Timings;

/// When the next round is due. One thread waits for it; any thread may bring it forward.
///
/// Each process waits a little longer or shorter, so that processes that started together do not
/// write their heartbeats together.
public final class HeartbeatSchedule {
  /// How soon the next round must run.
  enum Urgency {
    /// Nothing is wrong.
    REGULAR,
    /// The store did not answer. Several more rounds fit into the lease.
    RETRY,
    /// The keystore changed or may have changed, and a gate waits until this process shows that it
    /// knows.
    SOON
  }

  /// A tenth of the delay, either way.
  private static final double JITTER = 0.1;

  private static final int RETRIES_PER_HEARTBEAT = 4;

  /// After a change, a fleet with a heartbeat of 30 s spreads its rounds over one second.
  private static final int SOON_DIVISOR = 30;

  /// A waiting thread does not notice that the machine was suspended, but the clock does. So the
  /// thread looks at the clock again after at most this long.
  private static final long MAX_WAIT_NANOS = Duration.ofSeconds(1).toNanos();

  /// After a slow round, the pause before the next one is at least this fraction of the usual
  /// pause.
  private static final int MIN_REST_DIVISOR = 10;

  private final LongSupplier clock;
  private final RandomGenerator random;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Timings timings = Timings.DEFAULT;
  private long due;

  /// Whether something happened since the last round began that the round may have missed.
  private boolean hinted;

  private boolean stopped;

  /// The first round is due at once.
  public HeartbeatSchedule(LongSupplier clock, RandomGenerator random) {
    this.clock = clock;
    this.random = random;
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
  void endRound(long startNanos, Timings fleet, Urgency urgency) {
    lock.lock();
    try {
      timings = fleet;
      long pause = delay(fleet, hinted ? Urgency.SOON : urgency).toNanos();
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
      due = Math.min(due, now() + delay(timings, Urgency.SOON).toNanos());
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

  Duration delay(Timings fleet, Urgency urgency) {
    Duration heartbeat = fleet.heartbeat();
    return switch (urgency) {
      case REGULAR -> jitter(heartbeat);
      case RETRY -> jitter(heartbeat.dividedBy(RETRIES_PER_HEARTBEAT));
      case SOON -> multiply(heartbeat.dividedBy(SOON_DIVISOR), random.nextDouble());
    };
  }

  private Duration jitter(Duration duration) {
    return multiply(duration, 1 - JITTER + 2 * JITTER * random.nextDouble());
  }

  private static Duration multiply(Duration duration, double factor) {
    return Duration.ofNanos(Math.round(duration.toNanos() * factor));
  }

  private long now() {
    return clock.getAsLong();
  }
}
