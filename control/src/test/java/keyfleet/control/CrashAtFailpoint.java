package keyfleet.control;

import java.util.function.Supplier;
import keyfleet.control.PauseAtFailpoint.Side;

/// Crashes a process at the nth call of a failpoint. After that the process has no effect.
public final class CrashAtFailpoint implements Failpoints {
  public static final class Crashed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Crashed(String where) {
      super("crashed " + where);
    }
  }

  private final String where;
  private final PauseAtFailpoint pause;
  private boolean crashed;

  public CrashAtFailpoint(Failpoint point, Side side, int call) {
    this.where = side + " " + point;
    this.pause = new PauseAtFailpoint(point, side, call, this::crash);
  }

  @Override
  public <T> T at(Failpoint point, Supplier<T> effect) {
    if (crashed) {
      crash();
    }
    return pause.at(point, effect);
  }

  private void crash() {
    crashed = true;
    throw new Crashed(where);
  }

  public boolean hasCrashed() {
    return crashed;
  }
}
