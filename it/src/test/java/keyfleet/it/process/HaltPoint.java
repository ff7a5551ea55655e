package keyfleet.it.process;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;

/// Halts a process right before or right after an effect, the n-th time it gets there. The process
/// ends as by `kill -9`: no hook runs, nothing is closed.
public record HaltPoint(Failpoint point, Side side, int occurrence) {
  public enum Side {
    BEFORE,
    AFTER
  }

  /// The exit code of a killed process.
  public static final int EXIT = 137;

  private static final String PROPERTY = "keyfleet.it.halt";

  public List<String> options() {
    return List.of("-D" + PROPERTY + "=" + this);
  }

  @Override
  public String toString() {
    return point + ":" + side + ":" + occurrence;
  }

  /// The failpoints of this process, from its system property; without the property it never halts.
  static Failpoints ofThisProcess() {
    String text = System.getProperty(PROPERTY, "");
    if (text.isEmpty()) {
      return Failpoints.NONE;
    }
    String[] parts = text.split(":", -1);
    return new HaltPoint(
            Failpoint.valueOf(parts[0]), Side.valueOf(parts[1]), Integer.parseInt(parts[2]))
        .failpoints();
  }

  private Failpoints failpoints() {
    AtomicInteger remaining = new AtomicInteger(occurrence);
    return new Failpoints() {
      @Override
      public <T> T at(Failpoint at, Supplier<T> effect) {
        boolean isHere = at == point && remaining.decrementAndGet() == 0;
        if (isHere && side == Side.BEFORE) {
          Runtime.getRuntime().halt(EXIT);
        }
        T outcome = effect.get();
        if (isHere) {
          Runtime.getRuntime().halt(EXIT);
        }
        return outcome;
      }
    };
  }
}
