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
  private static final int EVENTS = 256;

  /// For a round that is under way, and for the heartbeat to be deleted. A store that does not
  /// answer by then finds out when the heartbeat expires.
  private static final Duration LONGEST_STOP = Duration.ofSeconds(5);

  private final String name;
  private final Duration longestStop;
  private final ThreadPoolExecutor telling;
  private @Nullable HeartbeatLoop rounds;
  private @Nullable Thread beating;

  public PlatformMemberThreads(String name) {
    this(name, LONGEST_STOP);
  }

  public PlatformMemberThreads(String name, Duration longestStop) {
    this.name = name;
    this.longestStop = longestStop;
    this.telling =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            MILLISECONDS,
            new ArrayBlockingQueue<>(EVENTS),
            Thread.ofPlatform().daemon().name("keyfleet-events-" + name).factory(),
            new ThreadPoolExecutor.DiscardPolicy());
  }

  @Override
  public Consumer<MemberEvent> reader(MemberListener observer) {
    return event -> telling.execute(() -> observer.observe(event));
  }

  @Override
  public void start(HeartbeatLoop newRounds) {
    rounds = newRounds;
    beating =
        Thread.ofPlatform().daemon().name("keyfleet-beat-" + name).start(() -> beat(newRounds));
  }

  private static void beat(HeartbeatLoop rounds) {
    try {
      while (rounds.schedule().awaitDue()) {
        rounds.runOrTell();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // somebody ends all threads of the process
    }
    rounds.end();
  }

  /// Nothing is interrupted: a database's file may be closed by that.
  @Override
  public void stop() {
    HeartbeatLoop started = rounds;
    Thread thread = beating;
    try {
      if (started != null && thread != null) {
        started.schedule().end();
        var _ = thread.join(longestStop);
      }
      telling.shutdown();
      var _ = telling.awaitTermination(longestStop.toMillis(), MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
