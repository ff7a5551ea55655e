package keyfleet.sim.host;

import java.util.PriorityQueue;
import java.util.function.LongConsumer;

/// Virtual time. Everything that will happen stands in one queue; time jumps from one entry to the
/// next.
///
/// Whoever sleeps in the middle of its work calls [#runUntil] from within it, and everybody else's
/// work goes on inside that call. So ordinary blocking code is interleaved at every effect, in one
/// thread, and always in the same way. Those who sleep wake in the reverse order: one whose sleep
/// ends first may have to wait for another that fell asleep later.
public final class VirtualTimeScheduler {
  public static final long MILLI = 1_000_000;
  public static final long SECOND = 1_000 * MILLI;

  /// No real stack of sleepers comes near it.
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

  /// `passing` is told each new time.
  public VirtualTimeScheduler(LongConsumer timeListener) {
    this.timeListener = timeListener;
  }

  public long now() {
    return now;
  }

  /// A loop has made a call to a store or a disk.
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

  /// Nothing more happens; whoever sleeps wakes at once.
  public void end() {
    ended = true;
  }

  boolean hasEnded() {
    return ended;
  }

  /// Lets everything happen that is due until `end`, which is then the time.
  public void runUntil(long end) {
    if (++depth > MAX_DEPTH) {
      throw new IllegalStateException("more than " + MAX_DEPTH + " sleepers");
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
