package keyfleet.control;

import java.util.function.Supplier;

/// Runs the effects of a loop. Production just runs them; tests stop a driver, or let it sleep,
/// right before or right after any of them.
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
