package keyfleet.watchdog;

import java.util.function.Supplier;

/// Kills a watchdog right before or right after one of its effects, chosen by counting them.
public final class CrashInjector {
  private static final int NEVER = Integer.MAX_VALUE;

  private int remaining = NEVER;

  /// Crashes at the point after this many others; later points do not crash.
  public void crashAfter(int points) {
    remaining = points;
  }

  public boolean hasCrashed() {
    return remaining < 0;
  }

  void reach(String point) {
    if (remaining != NEVER && remaining >= 0 && remaining-- == 0) {
      throw new InjectedCrash(point);
    }
  }

  <T> T run(String effect, Supplier<T> action) {
    reach("before " + effect);
    T result = action.get();
    reach("after " + effect);
    return result;
  }
}
