package keyfleet.control.rotation;

import java.util.function.Supplier;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;

/// Crashes a process at the n-th call of one failpoint, right before or right after the effect.
/// After that the process has no effect.
final class CrashAtFailpoint implements Failpoints {
  enum Side {
    BEFORE,
    AFTER
  }

  static final class Crashed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Crashed(Failpoint point, Side side) {
      super("crashed " + side + " " + point);
    }
  }

  private final Failpoint point;
  private final Side side;
  private int left;
  private boolean crashed;

  CrashAtFailpoint(Failpoint point, Side side, int occasion) {
    this.point = point;
    this.side = side;
    this.left = occasion;
  }

  @Override
  public <T> T at(Failpoint at, Supplier<T> effect) {
    boolean here = at == point && --left == 0;
    if (crashed || (here && side == Side.BEFORE)) {
      crashed = true;
      throw new Crashed(at, side);
    }
    T outcome = effect.get();
    if (here) {
      crashed = true;
      throw new Crashed(at, side);
    }
    return outcome;
  }

  boolean hasCrashed() {
    return crashed;
  }
}
