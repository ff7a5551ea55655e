package keyfleet.control;

import java.util.function.Supplier;

/// Runs the effects of a loop. In production it only runs them; a test may crash or pause the
/// driver right before or right after any of them.
public interface Failpoints {
  Failpoints NONE =
      new Failpoints() {
        @Override
        public <T> T at(Failpoint point, Supplier<T> effect) {
          return effect.get();
        }
      };

  <T> T at(Failpoint point, Supplier<T> effect);
}
