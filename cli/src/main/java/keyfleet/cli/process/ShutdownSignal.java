package keyfleet.cli.process;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Lets a long-running command wait for SIGTERM or Ctrl-C. After the signal the JVM exits when the
/// command closes this object, at the latest after [#MAX_STOP_TIME].
public final class ShutdownSignal implements AutoCloseable {
  /// Longer than a server ever takes to stop.
  private static final Duration MAX_STOP_TIME = Duration.ofSeconds(30);

  private final CountDownLatch signalled = new CountDownLatch(1);
  private final CountDownLatch finished = new CountDownLatch(1);

  public static ShutdownSignal install() {
    ShutdownSignal shutdown = new ShutdownSignal();
    Runtime.getRuntime()
        .addShutdownHook(Thread.ofPlatform().name("keyfleet-stop").unstarted(shutdown::signal));
    return shutdown;
  }

  private void signal() {
    signalled.countDown();
    try {
      var _ = finished.await(MAX_STOP_TIME.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public boolean isReceived() {
    return signalled.getCount() == 0;
  }

  void await() {
    try {
      signalled.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Tells the JVM that the command has finished.
  @Override
  public void close() {
    finished.countDown();
  }
}
