package keyfleet.control.rewrap;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/// Runs the reads and the cryptography of a pass. The driver's own thread makes all writes, one
/// batch after another.
public interface BatchExecutor {
  /// Runs the work in the driver's thread, when it asks for the result.
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

  /// The number of batches that are read and rewrapped while one is written.
  int batchesAhead();

  /// Starts work whose result is asked for later; [#DIRECT] runs it only then. The result's `get`
  /// throws what the work throws.
  <T> Supplier<T> start(Supplier<T> work);

  /// Applies `work` to each item, and keeps their order.
  <T, R> List<R> mapAll(List<T> items, Function<T, R> work);
}
