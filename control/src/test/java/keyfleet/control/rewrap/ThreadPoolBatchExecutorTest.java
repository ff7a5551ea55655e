package keyfleet.control.rewrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import keyfleet.store.StoreException;
import org.junit.jupiter.api.Test;

class ThreadPoolBatchExecutorTest {
  private static final List<Integer> ITEMS = IntStream.range(0, 1_000).boxed().toList();

  /// The pool's threads wait until the driver has run a task.
  @Test
  void waitingDriver_runsTasksItself() {
    Thread driver = Thread.currentThread();
    CountDownLatch helped = new CountDownLatch(1);
    try (ThreadPoolBatchExecutor executor = new ThreadPoolBatchExecutor()) {
      List<Integer> doubled =
          executor
              .start(() ->
                  executor.mapAll(
                      ITEMS,
                      it -> {
                        if (Thread.currentThread().equals(driver)) {
                          helped.countDown();
                        }
                        assertTrue(await(helped), "the driver ran no task");
                        return 2 * it;
                      }))
              .get();
      assertEquals(ITEMS.stream().map(it -> 2 * it).toList(), doubled);
    }
  }

  @Test
  void failedTask_throwsItsExceptionInTheDriver() {
    try (ThreadPoolBatchExecutor executor = new ThreadPoolBatchExecutor()) {
      var result =
          executor.start(() ->
              executor.mapAll(
                  ITEMS,
                  it -> {
                    if (it == 500) {
                      throw new StoreException("no answer");
                    }
                    return it;
                  }));
      assertEquals("no answer", assertThrows(StoreException.class, result::get).getMessage());
    }
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
