package keyfleet.providers;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.providers.RemoteResult.RetryLater;
import keyfleet.providers.RemoteResult.Success;
import org.jspecify.annotations.Nullable;

/// The manners in which one remote is asked, by any number of threads: each on its own thread,
/// within a total time, a few times with pauses that differ, and not at all while the remote wants
/// to be left alone.
public final class RemoteCallPolicy {
  /// How long a caller can wait, and how much of that one attempt may take.
  public enum TimeBudget {
    /// For wraps and unwraps: below the three seconds that a kube-apiserver gives its plugin.
    KEY_OPERATION(Duration.ofMillis(2500), Duration.ofMillis(1200)),
    /// For a provider's look: the first call of a process also starts its TLS and its client.
    LOAD(Duration.ofSeconds(6), Duration.ofSeconds(4));

    private final Duration total;
    private final Duration attempt;

    TimeBudget(Duration total, Duration attempt) {
      this.total = total;
      this.attempt = attempt;
    }
  }

  /// One request, which may take as long as it is told.
  public interface Attempt<T> {
    RemoteResult<T> run(Duration limit);
  }

  /// When the remote may be asked again, and whether it was the remote that named the time.
  private record CoolDown(long until, String reason, Origin origin) {}

  private enum Origin {
    REMOTE,
    LOCAL
  }

  static final int MAX_ATTEMPTS = 4;
  static final int MAX_IN_FLIGHT = 32;

  private static final Duration FIRST_BACKOFF = Duration.ofMillis(50);

  /// After everything was tried: whoever comes next shall not wait through it all again.
  static final Duration COOL_DOWN = Duration.ofSeconds(1);

  /// A remote that names a longer rest is asked again after this.
  static final Duration MAX_COOL_DOWN = Duration.ofMinutes(1);

  private final String remote;
  private final Ticker ticker;
  private final RandomGenerator random;
  private final Semaphore inFlight = new Semaphore(MAX_IN_FLIGHT);
  private volatile @Nullable CoolDown coolDown;

  /// `remote` begins every sentence about it.
  public RemoteCallPolicy(String remote, Ticker ticker, RandomGenerator random) {
    this.remote = remote;
    this.ticker = ticker;
    this.random = random;
  }

  /// What the remote gave. Throws [KekUnavailableException] if it gave nothing in time, and
  /// whatever an attempt throws.
  public <T> T run(TimeBudget budget, Attempt<T> attempt) {
    long deadline = ticker.nanos() + budget.total.toNanos();
    awaitCoolDown(deadline);
    if (!acquire(budget.total)) {
      throw unavailable(MAX_IN_FLIGHT + " calls are under way, and none ended in time");
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

  /// Waits if the remote named a time that this call can wait for; fails at once otherwise.
  private void awaitCoolDown(long deadline) {
    CoolDown now = coolDown;
    if (now == null || now.until() - ticker.nanos() <= 0) {
      return;
    }
    Duration wait = Duration.ofNanos(now.until() - ticker.nanos()).plus(backoff(1));
    if (now.origin() == Origin.LOCAL || wait.compareTo(remaining(deadline)) >= 0) {
      throw unavailable(now.reason() + "; it is asked again in " + wait.toMillis() + " ms");
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

  private boolean acquire(Duration limit) {
    try {
      return inFlight.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /// Doubles with each try; between half of that and all of it, so that processes which failed
  /// together do not return together.
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
