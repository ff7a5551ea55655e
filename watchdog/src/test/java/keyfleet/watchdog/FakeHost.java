package keyfleet.watchdog;

import java.time.Duration;
import java.time.Instant;
import keyfleet.rollout.Moment;

/// A machine's clocks, which move when told to.
public final class FakeHost implements Host {
  private int boots = 1;
  private long elapsed;
  private Instant wall = Instant.parse("2026-11-16T12:00:00Z");

  @Override
  public Moment moment() {
    return new Moment("boot-" + boots, elapsed, wall);
  }

  public void advance(Duration time) {
    elapsed += time.toNanos();
    wall = wall.plus(time);
  }

  /// The elapsed clock starts anew, at a value of no meaning.
  public void reboot(Duration takes) {
    boots++;
    elapsed = boots * 1_000L;
    wall = wall.plus(takes);
  }

  /// Somebody sets the wall clock.
  public void setWall(Instant instant) {
    wall = instant;
  }
}
