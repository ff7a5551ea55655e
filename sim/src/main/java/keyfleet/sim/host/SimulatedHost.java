package keyfleet.sim.host;

import java.util.function.Supplier;

/// A process on its machine: its clock, its link to the stores, its life. It works in loops, each a
/// thread of its own; a pause stops them all, a crash ends them all.
public final class SimulatedHost {
  /// Where a loop stands when it may fall asleep or die.
  enum Boundary {
    /// As BEFORE_WRITE, and the write tells a collection what it may take: few writes are so, and
    /// each may come when another rotation has long gone on.
    BEFORE_FENCE,
    /// It has read and decided, and is about to write: whoever sleeps here acts on the past.
    BEFORE_WRITE,
    ELSEWHERE
  }

  /// What happens to the process at one of its next effects.
  private sealed interface PendingFault {}

  private record Crash() implements PendingFault {}

  private record Pause(long nanos) implements PendingFault {}

  /// The machine sleeps, and its elapsed clock with it.
  private record Suspend(long nanos) implements PendingFault {}

  /// How many effects, at most, pass before a fault strikes: somewhere in one of the next ticks.
  private static final int MOST_EFFECTS = 24;

  /// The same, if it strikes before a write.
  private static final int MOST_WRITES = 16;

  /// One fault in so many, of those who raise fences, waits for the next one.
  private static final int ODDS = 4;

  private static final long SLOW_START = 15 * VirtualTimeScheduler.SECOND;
  private static final long LONGEST_DELAY = 5 * VirtualTimeScheduler.SECOND;

  private final String name;
  private final VirtualTimeScheduler timeline;
  private final SeededRandom dice;
  private final EventTrace diary;
  private final HostClock clock;

  private int hiccups;
  private StoreLink link = StoreLink.UP;
  private boolean up;
  private long life;
  private long pausedUntil;
  private PendingFault trap = new Pause(0);
  private int effectsBeforeTrap = -1;
  private Boundary latest = Boundary.ELSEWHERE;
  private boolean fencing;
  private long delay;
  private long staleUntil;
  private boolean struck;
  private boolean slow;
  private int sleepers;

  /// One effect in `hiccups` takes seconds; none if that is 0.
  public SimulatedHost(
      String name,
      VirtualTimeScheduler timeline,
      SeededRandom dice,
      EventTrace diary,
      int hiccups) {
    this.name = name;
    this.timeline = timeline;
    this.dice = dice.named(name);
    this.diary = diary;
    this.clock = new HostClock(timeline);
    this.hiccups = hiccups;
    this.slow = hiccups > 0;
  }

  public String name() {
    return name;
  }

  public VirtualTimeScheduler timeline() {
    return timeline;
  }

  public SeededRandom dice() {
    return dice;
  }

  public StoreLink link() {
    return link;
  }

  public void link(StoreLink newLink) {
    link = newLink;
  }

  public boolean isUp() {
    return up;
  }

  /// Counts the starts of the process: what belongs to an earlier one is dead.
  public long life() {
    return life;
  }

  public boolean isPaused() {
    return timeline.now() < pausedUntil;
  }

  public void note(Supplier<String> what) {
    diary.note(timeline.now(), name, what);
  }

  /// The process ends and stays down until [#start].
  public void crash() {
    note(() -> "crashes");
    up = false;
    life++;
    effectsBeforeTrap = -1;
  }

  public void start() {
    note(() -> "starts");
    up = true;
    life++;
    pausedUntil = 0;
  }

  /// Many a process is slow until it has warmed up.
  public void startSlowly() {
    if (dice.oneIn(4)) {
      delay = SLOW_START;
      timeline.in(SLOW_START, () -> delay = 0);
    }
  }

  /// It is one of those that raise fences.
  public void fences() {
    fencing = true;
  }

  /// Dies after `effects` more effects.
  public void crashAfter(int effects) {
    set(effects, new Crash());
  }

  /// Stands still for `nanos` after `effects` more effects.
  public void pauseAfter(int effects, long nanos) {
    set(effects, new Pause(nanos));
  }

  /// What a fault does to any process, whatever it runs.
  public void suffer(Fault fault) {
    struck = true;
    int effects = (int) (fault.choice() % MOST_EFFECTS);
    switch (fault.kind()) {
      case CRASH, KEY_LOST, LOST_SUFFIX -> crashAfter(effects);
      case PAUSE -> pauseAfter(effects, fault.lasts());
      case SUSPEND -> set(effects, new Suspend(fault.lasts()));
      case CUT -> linkFor(StoreLink.CUT, fault.lasts());
      case ONE_WAY -> linkFor(StoreLink.ONE_WAY, fault.lasts());
      case UNSURE -> linkFor(StoreLink.UNSURE, fault.lasts());
      case DELAY -> delayFor(fault);
      case STALE_READ -> readStaleFor(fault.lasts());
      case DRIFT -> clock.drift(0.9 + fault.choice() % 21 / 100.0);
      case SKEW -> clock.skew((fault.choice() % 601 - 300) * VirtualTimeScheduler.SECOND);
      case LATE_TTL, PROVIDER, OPERATOR, OLD_BINARY -> {} // not of one host's links
    }
    if (fault.choice() % 3 > 0) {
      latest = Boundary.BEFORE_WRITE;
      effectsBeforeTrap = Math.min(effectsBeforeTrap, writes(fault.choice()));
    }
    if (fencing && fault.choice() / ODDS % ODDS == 0) {
      latest = Boundary.BEFORE_FENCE;
      effectsBeforeTrap = Math.min(effectsBeforeTrap, 0);
    }
  }

  /// Few more often than many.
  private static int writes(long choice) {
    return (int) (choice % MOST_WRITES * (choice / MOST_WRITES % MOST_WRITES) / MOST_WRITES);
  }

  private void linkFor(StoreLink worse, long nanos) {
    link = worse;
    timeline.in(nanos, () -> link = StoreLink.UP);
  }

  private void delayFor(Fault fault) {
    slow = true;
    delay = Math.min(fault.lasts(), LONGEST_DELAY);
    timeline.in(fault.lasts(), () -> delay = 0);
  }

  private void set(int effects, PendingFault newTrap) {
    effectsBeforeTrap = effects;
    latest = Boundary.ELSEWHERE;
    trap = newTrap;
  }

  /// Called right before and right after each effect of a loop that started in `born`.
  void boundary(long born, Boundary edge) {
    check(born);
    boolean counts = edge.compareTo(latest) <= 0;
    if (effectsBeforeTrap >= 0 && counts && effectsBeforeTrap-- == 0) {
      spring();
    }
    if (delay > 0) {
      sleepUntil(timeline.now() + dice.between(0, delay));
    } else if (hiccups > 0 && dice.oneIn(hiccups)) {
      sleepUntil(timeline.now() + dice.between(0, LONGEST_DELAY));
    }
    while (isPaused() && !timeline.hasEnded()) {
      sleepUntil(pausedUntil);
    }
    check(born);
  }

  private void sleepUntil(long time) {
    sleepers++;
    timeline.runUntil(time);
    sleepers--;
  }

  /// Whether some loop stands in the middle of its work. It may have to wait for others that fell
  /// asleep after it.
  public boolean isAsleep() {
    return sleepers > 0;
  }

  private void check(long born) {
    if (born != life || timeline.hasEnded()) {
      throw new ProcessCrash();
    }
  }

  private void spring() {
    switch (trap) {
      case Crash _ -> crash();
      case Pause(long nanos) -> stand(nanos);
      case Suspend(long nanos) -> {
        stand(nanos);
        clock.stopFor(nanos);
      }
    }
  }

  private void stand(long nanos) {
    note(() -> "stands still for %.1fs".formatted(nanos / (double) VirtualTimeScheduler.SECOND));
    pausedUntil = timeline.now() + nanos;
  }

  /// Whether reads that may show the past do so just now.
  boolean readsAreStale() {
    return timeline.now() < staleUntil;
  }

  void readStaleFor(long nanos) {
    staleUntil = timeline.now() + nanos;
  }

  /// Whether anything ever went wrong here.
  public boolean wasStruck() {
    return struck;
  }

  /// Whether its effects ever took seconds.
  public boolean wasSlow() {
    return slow;
  }

  public HostClock clock() {
    return clock;
  }

  /// All is well again, except that a process that is down stays down.
  public void heal() {
    hiccups = 0;
    link = StoreLink.UP;
    delay = 0;
    staleUntil = 0;
    effectsBeforeTrap = -1;
    pausedUntil = Math.min(pausedUntil, timeline.now());
    clock.heal();
  }
}
