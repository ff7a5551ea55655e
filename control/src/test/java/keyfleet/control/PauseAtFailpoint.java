package keyfleet.control;

import java.util.function.Supplier;

/// Pauses a process once, at the nth call of a failpoint, and runs `meanwhile` in the pause.
public final class PauseAtFailpoint implements Failpoints {
  public enum Side {
    BEFORE,
    AFTER
  }

  private final Failpoint point;
  private final Side side;
  private final Runnable meanwhile;
  private int left;

  public PauseAtFailpoint(Failpoint point, Side side, int call, Runnable meanwhile) {
    this.point = point;
    this.side = side;
    this.left = call;
    this.meanwhile = meanwhile;
  }

  @Override
  public <T> T at(Failpoint reached, Supplier<T> effect) {
    boolean isHere = reached == point && --left == 0;
    if (isHere && side == Side.BEFORE) {
      meanwhile.run();
    }
    T result = effect.get();
    if (isHere && side == Side.AFTER) {
      meanwhile.run();
    }
    return result;
  }
}
