package keyfleet.sim.host;

import java.util.PriorityQueue;
import java.util.function.LongConsumer;

/// Virtual time and the queue of all future events; time jumps from one event to the next.
///
/// A loop that sleeps in the middle of its work calls [#runUntil], and all other loops run inside
/// that call. So ordinary blocking code is interleaved at every effect, in one thread, and always
/// in the same way. Sleeping loops wake in reverse order: a loop whose sleep ends first may have to
/// wait for a loop that began to sleep later.
public final class VirtualTimeScheduler {
  public static final long MILLI = 1_000_000;
  public static final long SECOND = 1_000 * MILLI;

  /// Real runs nest far fewer sleeping loops.
  private static final int MAX_DEPTH = 64;

  private record ScheduledEvent(long time, long order, Runnable action)
      implements Comparable<ScheduledEvent> {
    @Override
    public int compareTo(ScheduledEvent other) {
      return time == other.time ? Long.compare(order, other.order) : Long.compare(time, other.time);
    }
  }

  private final PriorityQueue<ScheduledEvent> queue = new PriorityQueue<>();
  private final LongConsumer timeListener;
  private long now;
  private long order;
  private long events;
  private long messages;
  private int depth;
  private boolean ended;
  private Runnable checkAfterEach = () -> {};

  /// `timeListener` receives each new time.
  public VirtualTimeScheduler(LongConsumer timeListener) {
    this.timeListener = timeListener;
  }

  public long now() {
    return now;
  }

  /// Counts a call of a loop to a store or a disk.
  public void countMessage() {
    messages++;
  }

  public long messages() {
    return messages;
  }

  public long events() {
    return events;
  }

  public void schedule(long delay, Runnable action) {
    queue.add(new ScheduledEvent(now + delay, order++, action));
  }

  /// Runs `check` after every event from now on.
  public void checkAfterEach(Runnable check) {
    checkAfterEach = check;
  }

  /// Runs no further event; sleeping loops wake at once.
  public void end() {
    ended = true;
  }

  boolean hasEnded() {
    return ended;
  }

  /// Runs every event that is due until `end`, and sets the time to `end`.
  public void runUntil(long end) {
    if (++depth > MAX_DEPTH) {
      throw new IllegalStateException("more than " + MAX_DEPTH + " loops sleep at once");
    }
    ScheduledEvent next = queue.peek();
    while (!ended && next != null && next.time() <= end) {
      queue.remove();
      advance(next.time());
      events++;
      next.action().run();
      checkAfterEach.run();
      next = queue.peek();
    }
    if (!ended) {
      advance(end);
    }
    depth--;
  }

  private void advance(long time) {
    if (time > now) {
      now = time;
      timeListener.accept(time);
    }
  }
}
