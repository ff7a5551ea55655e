package keyfleet.rollout;

import java.time.Duration;
import keyfleet.rollout.Sighting.State;

/// What a watchdog has seen of a release since it was started: how long it has been ready without a
/// break, for how long it has not, and how often it relapsed (R10). Times are elapsed nanoseconds.
///
/// Time passes here only between two looks that were both taken while the watchdog could reach the
/// store: cut off, it cannot tell a bad release from a bad network, so everything freezes. Relapses
/// count always, as a crash is nobody else's fault.
public record Vitals(
    State state, Link link, long seenAt, long good, long bad, int relapses, int restarts) {
  public static final Duration PROBE_EVERY = Duration.ofSeconds(10);

  /// A watchdog that slept has seen nothing meanwhile.
  public static final Duration LONGEST_GAP = Duration.ofSeconds(30);

  /// Becoming unready and crashing count alike.
  public static final int MAX_RELAPSES = 3;

  /// Whether the watchdog itself reaches the store.
  public enum Link {
    CONNECTED,
    CUT_OFF
  }

  static Vitals starting(long now) {
    return new Vitals(State.NOT_READY, Link.CUT_OFF, now, 0, 0, 0, 0);
  }

  /// All that a restart of the watchdog leaves: the soak begins again, relapses stay.
  Vitals resumed(long now) {
    return new Vitals(State.NOT_READY, Link.CUT_OFF, now, 0, 0, relapses, restarts);
  }

  Vitals seen(Sighting sighting, Link linked, long now) {
    Vitals before = restarted(sighting.restarts());
    if (linked == Link.CUT_OFF) {
      return before.at(linked, now);
    }
    boolean both = link == Link.CONNECTED;
    long passed = both ? Math.clamp(now - seenAt, 0, LONGEST_GAP.toNanos()) : 0;
    return (sighting.isReady() ? before.ready(passed) : before.unready(passed)).at(linked, now);
  }

  /// A counter that starts anew has begun with the release's own restarts.
  private Vitals restarted(int total) {
    if (total == restarts) {
      return this;
    }
    int crashes = total > restarts ? total - restarts : total;
    return new Vitals(State.NOT_READY, link, seenAt, 0, bad, relapses + crashes, total);
  }

  private Vitals ready(long passed) {
    long sum = state == State.READY ? good + passed : 0;
    return new Vitals(State.READY, link, seenAt, sum, 0, relapses, restarts);
  }

  private Vitals unready(long passed) {
    return state == State.READY
        ? new Vitals(State.NOT_READY, link, seenAt, 0, 0, relapses + 1, restarts)
        : new Vitals(state, link, seenAt, 0, bad + passed, relapses, restarts);
  }

  private Vitals at(Link linked, long now) {
    return new Vitals(state, linked, now, good, bad, relapses, restarts);
  }

  boolean isReady() {
    return state == State.READY && link == Link.CONNECTED;
  }

  /// `healthWait` is for how long at a stretch a release may be unready, at its start or later.
  boolean hasFailed(Duration healthWait) {
    return relapses > MAX_RELAPSES || bad >= Elapsed.nanos(healthWait);
  }

  /// Whether the release may be blamed if time runs out now.
  boolean isToBlame() {
    return state != State.READY && link == Link.CONNECTED;
  }

  /// I5: the whole soak, without a break, up to a look just taken.
  boolean hasPassed(Duration soak) {
    return isReady() && good >= Elapsed.nanos(soak);
  }

  Duration remaining(Duration soak) {
    return Duration.ofNanos(Math.max(0, Elapsed.nanos(soak) - good));
  }

  /// When the next look is due.
  long nextLook(Duration soak) {
    long every = PROBE_EVERY.toNanos();
    long left = remaining(soak).toNanos();
    return seenAt + (left > 0 && isReady() ? Math.min(every, left) : every);
  }
}
