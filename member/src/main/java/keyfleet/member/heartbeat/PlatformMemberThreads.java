package keyfleet.member.heartbeat;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Consumer;
import keyfleet.member.MemberEvent;
import keyfleet.member.MemberListener;
import org.jspecify.annotations.Nullable;

/// A thread that beats and one that tells, both daemons. They are the platform's own: an
/// application whose virtual threads never yield would keep a virtual one from beating.
public final class PlatformMemberThreads implements MemberThreads {
  /// Events that an observer may be behind by; further ones are dropped.
  private static final int MAX_QUEUED_EVENTS = 256;

  /// For a round that is under way, and for the heartbeat to be deleted. A store that does not
  /// answer by then finds out when the heartbeat expires.
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

  private final String name;
  private final Duration stopTimeout;
  private final ThreadPoolExecutor eventExecutor;
  private @Nullable HeartbeatLoop loop;
  private @Nullable Thread heartbeatThread;

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
  public Consumer<MemberEvent> eventSink(MemberListener memberListener) {
    return event -> eventExecutor.execute(() -> memberListener.onEvent(event));
  }

  @Override
  public void start(HeartbeatLoop newLoop) {
    loop = newLoop;
    heartbeatThread =
        Thread.ofPlatform().daemon().name("keyfleet-beat-" + name).start(() -> runLoop(newLoop));
  }

  private static void runLoop(HeartbeatLoop loop) {
    try {
      while (loop.heartbeatSchedule().awaitDue()) {
        loop.runRoundOrReport();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // somebody ends all threads of the process
    }
    loop.leave();
  }

  /// Nothing is interrupted: a database's file may be closed by that.
  @Override
  public void stop() {
    HeartbeatLoop started = loop;
    Thread thread = heartbeatThread;
    try {
      if (started != null && thread != null) {
        started.heartbeatSchedule().stop();
        var _ = thread.join(stopTimeout);
      }
      eventExecutor.shutdown();
      var _ = eventExecutor.awaitTermination(stopTimeout.toMillis(), MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
