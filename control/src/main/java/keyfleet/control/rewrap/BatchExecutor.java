package keyfleet.control.rewrap;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/// Who does the reading and the cryptography of a pass. Its writes are always the driver's own, one
/// batch after another.
public interface BatchExecutor {
  /// The driver itself, which does nothing ahead of time.
  BatchExecutor DIRECT =
      new BatchExecutor() {
        @Override
        public int batchesAhead() {
          return 0;
        }

        @Override
        public <T> Supplier<T> start(Supplier<T> work) {
          return work;
        }

        @Override
        public <T, R> List<R> mapAll(List<T> items, Function<T, R> work) {
          return items.stream().map(work).toList();
        }
      };

  /// How many batches it reads and moves while one is written.
  int batchesAhead();

  /// Begins something that will be asked for; if nothing is done ahead, once or never. What it
  /// throws is thrown at whoever asks.
  <T> Supplier<T> start(Supplier<T> work);

  /// What `work` makes of each item, in their order.
  <T, R> List<R> mapAll(List<T> items, Function<T, R> work);
}
