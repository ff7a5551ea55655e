package keyfleet.control.rotation;

import java.util.function.Supplier;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;

/// Kills whoever comes to one failpoint for the n-th time, right before or right after its effect.
/// From then on the dead have no effect at all.
final class CrashAtFailpoint implements Failpoints {
  enum Side {
    BEFORE,
    AFTER
  }

  static final class Crashed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Crashed(Failpoint point, Side side) {
      super("killed " + side + " " + point);
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
