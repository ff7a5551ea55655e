package keyfleet.providers;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.providers.RemoteResult.RetryLater;
import keyfleet.providers.RemoteResult.Success;
import org.jspecify.annotations.Nullable;

/// The rules for calls to one remote: a total time per call, a few attempts with random backoff, a
/// limit of calls in flight, and no calls while the remote has asked for a pause. Any number of
/// threads call it; each call stays on its own thread.
public final class RemoteCallPolicy {
  /// The total time of a call, and the time of one attempt.
  public enum TimeBudget {
    /// For wraps and unwraps: below the three seconds that a kube-apiserver gives its plugin.
    KEY_OPERATION(Duration.ofMillis(2500), Duration.ofMillis(1200)),
    /// For loading keys: the first call of a process also starts TLS and the client.
    LOAD(Duration.ofSeconds(6), Duration.ofSeconds(4));

    private final Duration total;
    private final Duration attempt;

    TimeBudget(Duration total, Duration attempt) {
      this.total = total;
      this.attempt = attempt;
    }
  }

  /// One request, which must end within the given limit.
  public interface Attempt<T> {
    RemoteResult<T> run(Duration limit);
  }

  /// When the remote may be called again, and whether the remote named that time.
  private record CoolDown(long until, String reason, Origin origin) {}

  private enum Origin {
    REMOTE,
    LOCAL
  }

  static final int MAX_ATTEMPTS = 4;
  static final int MAX_IN_FLIGHT = 32;

  private static final Duration FIRST_BACKOFF = Duration.ofMillis(50);

  /// After a call that used all its attempts, so that the next callers do not wait through all of
  /// them again.
  static final Duration COOL_DOWN = Duration.ofSeconds(1);

  /// The longest cool-down: a remote that names a longer one is called again after this.
  static final Duration MAX_COOL_DOWN = Duration.ofMinutes(1);

  private final String remote;
  private final Ticker ticker;
  private final RandomGenerator random;
  private final Semaphore inFlight = new Semaphore(MAX_IN_FLIGHT);
  private volatile @Nullable CoolDown coolDown;

  /// `remote` is the subject of every message about it.
  public RemoteCallPolicy(String remote, Ticker ticker, RandomGenerator random) {
    this.remote = remote;
    this.ticker = ticker;
    this.random = random;
  }

  /// The value that the remote returned. Throws [KekUnavailableException] if there is none in time,
  /// and the exceptions of an attempt.
  public <T> T run(TimeBudget budget, Attempt<T> attempt) {
    long deadline = ticker.nanos() + budget.total.toNanos();
    awaitCoolDown(deadline);
    if (!tryAcquire(budget.total)) {
      throw unavailable(MAX_IN_FLIGHT + " calls are in progress, and none ended in time");
    }
    try {
      return repeat(budget, deadline, attempt);
    } finally {
      inFlight.release();
    }
  }

  private <T> T repeat(TimeBudget budget, long deadline, Attempt<T> attempt) {
    for (int tries = 1; ; tries++) {
      switch (attempt.run(shorter(budget.attempt, remaining(deadline)))) {
        case Success<T>(T value) -> {
          coolDown = null;
          return value;
        }
        case RetryLater<T>(String reason, Duration wait) -> {
          Duration delay = wait.isZero() ? backoff(tries) : wait.plus(backoff(1));
          if (tries == MAX_ATTEMPTS
              || isInterrupted()
              || delay.compareTo(remaining(deadline)) >= 0) {
            throw giveUp(reason, wait);
          }
          if (!wait.isZero()) {
            startCoolDown(wait, reason, Origin.REMOTE);
          }
          ticker.pause(delay);
        }
      }
    }
  }

  /// Waits if the remote named a time that fits into this call, and fails at once otherwise.
  private void awaitCoolDown(long deadline) {
    CoolDown now = coolDown;
    if (now == null || now.until() - ticker.nanos() <= 0) {
      return;
    }
    Duration wait = Duration.ofNanos(now.until() - ticker.nanos()).plus(backoff(1));
    if (now.origin() == Origin.LOCAL || wait.compareTo(remaining(deadline)) >= 0) {
      throw unavailable(now.reason() + "; next call allowed in " + wait.toMillis() + " ms");
    }
    ticker.pause(wait);
  }

  private KekUnavailableException giveUp(String reason, Duration wait) {
    if (wait.isZero()) {
      startCoolDown(COOL_DOWN, reason, Origin.LOCAL);
    } else {
      startCoolDown(wait, reason, Origin.REMOTE);
    }
    return unavailable(reason);
  }

  private void startCoolDown(Duration wait, String reason, Origin origin) {
    coolDown =
        new CoolDown(ticker.nanos() + shorter(wait, MAX_COOL_DOWN).toNanos(), reason, origin);
  }

  private boolean tryAcquire(Duration limit) {
    try {
      return inFlight.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /// Doubles with each attempt. A random part of up to half keeps processes that failed together
  /// from calling again together.
  private Duration backoff(int tries) {
    long most = FIRST_BACKOFF.toNanos() << (tries - 1);
    return Duration.ofNanos(most / 2 + random.nextLong(most / 2 + 1));
  }

  private Duration remaining(long deadline) {
    return Duration.ofNanos(Math.max(1, deadline - ticker.nanos()));
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private static boolean isInterrupted() {
    return Thread.currentThread().isInterrupted();
  }

  private KekUnavailableException unavailable(String reason) {
    return new KekUnavailableException(remote + " " + reason);
  }
}
