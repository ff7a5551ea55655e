package keyfleet.it.soak;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/// The faults of a soak, drawn from its seed. Each kind happens once before any happens again; the
/// rotation happens in the middle. In the last part no process is killed, so that one process lives
/// long enough for the memory check.
record SoakPlan(Duration length, List<Step> steps) {
  /// @param at the time since the start
  /// @param duration for how long the remote or the store is down
  record Step(Duration at, SoakFault fault, Duration duration) {}

  /// After this fraction of the soak the process is not killed any more.
  private static final double LAST_KILL_FRACTION = 0.6;

  /// The time between faults, in a soak of ten minutes or more.
  private static final Duration DEFAULT_SPACING = Duration.ofSeconds(30);

  /// The time between faults in a short soak: a kill and its checks take this long.
  private static final Duration MIN_SPACING = Duration.ofSeconds(6);

  private static final int STEPS = 20;

  static SoakPlan draw(long seed, Duration length) {
    Draw draw = new Draw(new Random(seed), length);
    return new SoakPlan(length, draw.steps());
  }

  private static Duration spacing(Duration length) {
    Duration fitting = length.dividedBy(STEPS);
    Duration most = fitting.compareTo(DEFAULT_SPACING) < 0 ? fitting : DEFAULT_SPACING;
    return most.compareTo(MIN_SPACING) < 0 ? MIN_SPACING : most;
  }

  /// Draws every fault of a shuffled list once, then shuffles again.
  private static final class Draw {
    private final Random random;
    private final Duration length;
    private final Duration spacing;
    private final Deque<SoakFault> any = new ArrayDeque<>();
    private final Deque<SoakFault> survivable = new ArrayDeque<>();

    Draw(Random random, Duration length) {
      this.random = random;
      this.length = length;
      this.spacing = spacing(length);
    }

    List<Step> steps() {
      List<Step> steps = new ArrayList<>();
      boolean rotated = false;
      Duration end = length.minus(spacing);
      for (Duration at = gap(); at.compareTo(end) < 0; at = at.plus(gap())) {
        boolean isRotation = !rotated && at.compareTo(length.dividedBy(2)) >= 0;
        rotated |= isRotation;
        steps.add(new Step(at, isRotation ? SoakFault.ROTATION : next(at), duration()));
      }
      return List.copyOf(steps);
    }

    private SoakFault next(Duration at) {
      boolean canKill = at.toNanos() < LAST_KILL_FRACTION * length.toNanos();
      return canKill
          ? drawFrom(any, SoakFault.usual())
          : drawFrom(survivable, SoakFault.survivable());
    }

    private SoakFault drawFrom(Deque<SoakFault> remaining, List<SoakFault> all) {
      if (remaining.isEmpty()) {
        List<SoakFault> shuffled = new ArrayList<>(all);
        Collections.shuffle(shuffled, random);
        remaining.addAll(shuffled);
      }
      return remaining.remove();
    }

    /// 20 to 40 seconds, if the spacing is 30.
    private Duration gap() {
      return spacing.multipliedBy(2).plus(part(spacing.multipliedBy(2))).dividedBy(3);
    }

    /// 4 to 9 seconds, if the spacing is 30.
    private Duration duration() {
      return spacing.multipliedBy(2).dividedBy(15).plus(part(spacing.dividedBy(6)));
    }

    private Duration part(Duration of) {
      return Duration.ofNanos((long) (of.toNanos() * random.nextDouble()));
    }
  }
}
