package keyfleet.cli.process;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// The time from the start of a process that stays until a signal ends it. The JVM waits, within
/// reason, until whoever was told is done.
public final class ShutdownSignal implements AutoCloseable {
  /// Longer than a server takes at most.
  private static final Duration LONGEST_STOP = Duration.ofSeconds(30);

  private final CountDownLatch told = new CountDownLatch(1);
  private final CountDownLatch gone = new CountDownLatch(1);

  public static ShutdownSignal begin() {
    ShutdownSignal life = new ShutdownSignal();
    Runtime.getRuntime()
        .addShutdownHook(Thread.ofPlatform().name("keyfleet-stop").unstarted(life::end));
    return life;
  }

  private void end() {
    told.countDown();
    try {
      var _ = gone.await(LONGEST_STOP.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public boolean isOver() {
    return told.getCount() == 0;
  }

  void await() {
    try {
      told.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Nothing is left to do.
  @Override
  public void close() {
    gone.countDown();
  }
}
