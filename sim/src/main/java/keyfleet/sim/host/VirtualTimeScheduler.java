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

  private record ScheduledEvent(long at, long order, Runnable act)
      implements Comparable<ScheduledEvent> {
    @Override
    public int compareTo(ScheduledEvent other) {
      return at == other.at ? Long.compare(order, other.order) : Long.compare(at, other.at);
    }
  }

  private final PriorityQueue<ScheduledEvent> queue = new PriorityQueue<>();
  private final LongConsumer passing;
  private long now;
  private long order;
  private long events;
  private long messages;
  private int depth;
  private boolean ended;
  private Runnable afterEach = () -> {};

  /// `passing` is told each new time.
  public VirtualTimeScheduler(LongConsumer passing) {
    this.passing = passing;
  }

  public long now() {
    return now;
  }

  /// A loop has made a call to a store or a disk.
  public void message() {
    messages++;
  }

  public long messages() {
    return messages;
  }

  public long events() {
    return events;
  }

  public void in(long delay, Runnable act) {
    queue.add(new ScheduledEvent(now + delay, order++, act));
  }

  /// Runs `check` after every event from now on.
  public void afterEach(Runnable check) {
    afterEach = check;
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
    while (!ended && next != null && next.at() <= end) {
      queue.remove();
      advance(next.at());
      events++;
      next.act().run();
      afterEach.run();
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
      passing.accept(time);
    }
  }
}
