package keyfleet.watchdog;

import java.util.function.Supplier;

/// Kills a watchdog right before or right after one of its effects, chosen by counting them.
public final class CrashInjector {
  private static final int NEVER = Integer.MAX_VALUE;

  private int left = NEVER;

  /// The point passed after this many others is a crash; later points are not.
  public void blowAfter(int points) {
    left = points;
  }

  public boolean isBlown() {
    return left < 0;
  }

  void pass(String point) {
    if (left != NEVER && left >= 0 && left-- == 0) {
      throw new InjectedCrash(point);
    }
  }

  <T> T around(String effect, Supplier<T> action) {
    pass("before " + effect);
    T result = action.get();
    pass("after " + effect);
    return result;
  }
}
