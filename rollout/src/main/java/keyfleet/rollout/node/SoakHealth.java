package keyfleet.rollout.node;

import java.time.Duration;
import keyfleet.rollout.node.ProbeResult.State;

/// What a watchdog has observed of a release since it was started: how long it has been ready
/// without a break, how long it has been unready, and how often it relapsed (R10). Times are
/// elapsed nanoseconds.
///
/// Time counts only between two probes that were both taken while the watchdog could reach the
/// store. While it is cut off it cannot tell a bad release from a bad network, so everything
/// freezes. Relapses always count, because no network causes a crash.
public record SoakHealth(
    State state,
    StoreLink link,
    long probedAt,
    long readyNanos,
    long unreadyNanos,
    int relapses,
    int restarts) {
  public static final Duration PROBE_INTERVAL = Duration.ofSeconds(10);

  /// A watchdog that was suspended has observed nothing in between.
  public static final Duration LONGEST_GAP = Duration.ofSeconds(30);

  /// Becoming unready and crashing count alike.
  public static final int MAX_RELAPSES = 3;

  /// Whether the watchdog itself reaches the store.
  public enum StoreLink {
    CONNECTED,
    CUT_OFF
  }

  static SoakHealth start(long now) {
    return new SoakHealth(State.NOT_READY, StoreLink.CUT_OFF, now, 0, 0, 0, 0);
  }

  /// What survives a restart of the watchdog: the soak starts again, the relapses stay.
  SoakHealth afterRestart(long now) {
    return new SoakHealth(State.NOT_READY, StoreLink.CUT_OFF, now, 0, 0, relapses, restarts);
  }

  SoakHealth afterProbe(ProbeResult result, StoreLink newLink, long now) {
    SoakHealth before = withRestarts(result.restarts());
    if (newLink == StoreLink.CUT_OFF) {
      return before.withProbe(newLink, now);
    }
    boolean bothConnected = link == StoreLink.CONNECTED;
    long passed = bothConnected ? Math.clamp(now - probedAt, 0, LONGEST_GAP.toNanos()) : 0;
    return (result.isReady() ? before.withReadyTime(passed) : before.withUnreadyTime(passed))
        .withProbe(newLink, now);
  }

  /// A lower count means that the counter was reset: it holds only restarts of this release.
  private SoakHealth withRestarts(int total) {
    if (total == restarts) {
      return this;
    }
    int crashes = total > restarts ? total - restarts : total;
    return new SoakHealth(
        State.NOT_READY, link, probedAt, 0, unreadyNanos, relapses + crashes, total);
  }

  private SoakHealth withReadyTime(long passed) {
    long sum = state == State.READY ? readyNanos + passed : 0;
    return new SoakHealth(State.READY, link, probedAt, sum, 0, relapses, restarts);
  }

  private SoakHealth withUnreadyTime(long passed) {
    return state == State.READY
        ? new SoakHealth(State.NOT_READY, link, probedAt, 0, 0, relapses + 1, restarts)
        : new SoakHealth(state, link, probedAt, 0, unreadyNanos + passed, relapses, restarts);
  }

  private SoakHealth withProbe(StoreLink newLink, long now) {
    return new SoakHealth(state, newLink, now, readyNanos, unreadyNanos, relapses, restarts);
  }

  boolean isReady() {
    return state == State.READY && link == StoreLink.CONNECTED;
  }

  /// `healthWait` is how long at a stretch a release may be unready, at its start or later.
  boolean hasFailed(Duration healthWait) {
    return relapses > MAX_RELAPSES || unreadyNanos >= ElapsedTime.toNanos(healthWait);
  }

  /// Whether the release is to blame if the deadline passes now.
  boolean isToBlame() {
    return state != State.READY && link == StoreLink.CONNECTED;
  }

  /// I5: the whole soak without a break, up to a probe just taken.
  boolean hasPassed(Duration soak) {
    return isReady() && readyNanos >= ElapsedTime.toNanos(soak);
  }

  Duration remainingSoak(Duration soak) {
    return Duration.ofNanos(Math.max(0, ElapsedTime.toNanos(soak) - readyNanos));
  }

  /// When the next probe is due.
  long nextProbeAt(Duration soak) {
    long interval = PROBE_INTERVAL.toNanos();
    long left = remainingSoak(soak).toNanos();
    return probedAt + (left > 0 && isReady() ? Math.min(interval, left) : interval);
  }
}
