package keyfleet.member.heartbeat;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Consumer;
import keyfleet.member.process.ProcessEvent;
import org.jspecify.annotations.Nullable;

/// Two daemon threads: one runs the rounds, the other calls the listener. Both are platform
/// threads, because virtual threads of the application that never yield could block a virtual one.
public final class PlatformMemberThreads implements MemberThreads {
  /// Events that wait for a slow listener; further ones are dropped.
  private static final int MAX_QUEUED_EVENTS = 256;

  /// The time for the current round to end and the heartbeat to be deleted. If the store does not
  /// answer by then, the heartbeat expires.
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

  private final String name;
  private final Duration stopTimeout;
  private final ThreadPoolExecutor eventExecutor;
  private volatile @Nullable HeartbeatLoop loop;
  private volatile @Nullable Thread heartbeatThread;

  public PlatformMemberThreads(String name) {
    this(name, STOP_TIMEOUT);
  }

  public PlatformMemberThreads(String name, Duration stopTimeout) {
    this.name = name;
    this.stopTimeout = stopTimeout;
    this.eventExecutor =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            MILLISECONDS,
            new ArrayBlockingQueue<>(MAX_QUEUED_EVENTS),
            Thread.ofPlatform().daemon().name("keyfleet-events-" + name).factory(),
            new ThreadPoolExecutor.DiscardPolicy());
  }

  @Override
  public Consumer<ProcessEvent> eventSink(Consumer<ProcessEvent> listener) {
    return event -> eventExecutor.execute(() -> call(listener, event));
  }

  private static void call(Consumer<ProcessEvent> listener, ProcessEvent event) {
    try {
      listener.accept(event);
    } catch (RuntimeException | Error _) {
      // The listener loses this event. The JVM would print the exception, which may quote a value.
    }
  }

  @Override
  public void start(HeartbeatLoop newLoop) {
    loop = newLoop;
    heartbeatThread =
        Thread.ofPlatform().daemon().name("keyfleet-beat-" + name).start(() -> runLoop(newLoop));
  }

  private static void runLoop(HeartbeatLoop loop) {
    try {
      while (loop.schedule().awaitDue()) {
        loop.runRoundOrReport();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the application interrupts all threads of the process
    }
    loop.leave();
  }

  /// Interrupts no thread: an interrupt may close a database's file.
  @Override
  public void stop() {
    HeartbeatLoop started = loop;
    Thread thread = heartbeatThread;
    try {
      if (started != null && thread != null) {
        started.schedule().stop();
        var _ = thread.join(stopTimeout);
      }
      eventExecutor.shutdown();
      var _ = eventExecutor.awaitTermination(stopTimeout.toMillis(), MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
