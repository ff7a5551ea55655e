package keyfleet.watchdog;

import java.time.Duration;
import java.time.Instant;
import keyfleet.rollout.node.ClockReading;

/// A machine's clocks, which move only when a test moves them.
public final class FakeNodeClock implements NodeClock {
  private int boots = 1;
  private long elapsed;
  private Instant wall = Instant.parse("2026-11-16T12:00:00Z");

  @Override
  public ClockReading now() {
    return new ClockReading("boot-" + boots, elapsed, wall);
  }

  public void advance(Duration time) {
    elapsed += time.toNanos();
    wall = wall.plus(time);
  }

  /// The elapsed clock restarts at an arbitrary value.
  public void reboot(Duration takes) {
    boots++;
    elapsed = boots * 1_000L;
    wall = wall.plus(takes);
  }

  public void setWall(Instant instant) {
    wall = instant;
  }
}
