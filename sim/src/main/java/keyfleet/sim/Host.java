package keyfleet.sim;

import java.util.function.Supplier;

/// A process on its machine: its clock, its link to the stores, its life. It works in loops, each a
/// thread of its own; a pause stops them all, a crash ends them all.
final class Host {
  /// Where a loop stands when it may fall asleep or die.
  enum Edge {
    /// As BEFORE_WRITE, and the write tells a collection what it may take: few writes are so, and
    /// each may come when another rotation has long gone on.
    BEFORE_FENCE,
    /// It has read and decided, and is about to write: whoever sleeps here acts on the past.
    BEFORE_WRITE,
    ELSEWHERE
  }

  /// What happens to the process at one of its next effects.
  private sealed interface Trap {}

  private record Dies() implements Trap {}

  private record StandsStill(long nanos) implements Trap {}

  /// The machine sleeps, and its elapsed clock with it.
  private record Sleeps(long nanos) implements Trap {}

  /// How many effects, at most, pass before a fault strikes: somewhere in one of the next ticks.
  private static final int MOST_EFFECTS = 24;

  /// The same, if it strikes before a write.
  private static final int MOST_WRITES = 16;

  /// One fault in so many, of those who raise fences, waits for the next one.
  private static final int ODDS = 4;

  private static final long SLOW_START = 15 * Timeline.SECOND;
  private static final long LONGEST_DELAY = 5 * Timeline.SECOND;

  private final String name;
  private final Timeline timeline;
  private final Dice dice;
  private final Diary diary;
  private final HostClock clock;

  private int hiccups;
  private Link link = Link.UP;
  private boolean up;
  private long life;
  private long pausedUntil;
  private Trap trap = new StandsStill(0);
  private int effectsBeforeTrap = -1;
  private Edge latest = Edge.ELSEWHERE;
  private boolean fencing;
  private long delay;
  private long staleUntil;
  private boolean struck;
  private boolean slow;
  private int sleepers;

  /// One effect in `hiccups` takes seconds; none if that is 0.
  Host(String name, Timeline timeline, Dice dice, Diary diary, int hiccups) {
    this.name = name;
    this.timeline = timeline;
    this.dice = dice.named(name);
    this.diary = diary;
    this.clock = new HostClock(timeline);
    this.hiccups = hiccups;
    this.slow = hiccups > 0;
  }

  String name() {
    return name;
  }

  Timeline timeline() {
    return timeline;
  }

  Dice dice() {
    return dice;
  }

  Link link() {
    return link;
  }

  void link(Link newLink) {
    link = newLink;
  }

  boolean isUp() {
    return up;
  }

  /// Counts the starts of the process: what belongs to an earlier one is dead.
  long life() {
    return life;
  }

  boolean isPaused() {
    return timeline.now() < pausedUntil;
  }

  void note(Supplier<String> what) {
    diary.note(timeline.now(), name, what);
  }

  /// The process ends and stays down until [#start].
  void crash() {
    note(() -> "crashes");
    up = false;
    life++;
    effectsBeforeTrap = -1;
  }

  void start() {
    note(() -> "starts");
    up = true;
    life++;
    pausedUntil = 0;
  }

  /// Many a process is slow until it has warmed up.
  void startSlowly() {
    if (dice.oneIn(4)) {
      delay = SLOW_START;
      timeline.in(SLOW_START, () -> delay = 0);
    }
  }

  /// It is one of those that raise fences.
  void fences() {
    fencing = true;
  }

  /// Dies after `effects` more effects.
  void crashAfter(int effects) {
    set(effects, new Dies());
  }

  /// Stands still for `nanos` after `effects` more effects.
  void pauseAfter(int effects, long nanos) {
    set(effects, new StandsStill(nanos));
  }

  /// What a fault does to any process, whatever it runs.
  void suffer(Fault fault) {
    struck = true;
    int effects = (int) (fault.choice() % MOST_EFFECTS);
    switch (fault.kind()) {
      case CRASH, KEY_LOST, LOST_SUFFIX -> crashAfter(effects);
      case PAUSE -> pauseAfter(effects, fault.lasts());
      case SUSPEND -> set(effects, new Sleeps(fault.lasts()));
      case CUT -> linkFor(Link.CUT, fault.lasts());
      case ONE_WAY -> linkFor(Link.ONE_WAY, fault.lasts());
      case UNSURE -> linkFor(Link.UNSURE, fault.lasts());
      case DELAY -> delayFor(fault);
      case STALE_READ -> readStaleFor(fault.lasts());
      case DRIFT -> clock.drift(0.9 + fault.choice() % 21 / 100.0);
      case SKEW -> clock.skew((fault.choice() % 601 - 300) * Timeline.SECOND);
      case LATE_TTL, PROVIDER, OPERATOR, OLD_BINARY -> {} // not of one host's links
    }
    if (fault.choice() % 3 > 0) {
      latest = Edge.BEFORE_WRITE;
      effectsBeforeTrap = Math.min(effectsBeforeTrap, writes(fault.choice()));
    }
    if (fencing && fault.choice() / ODDS % ODDS == 0) {
      latest = Edge.BEFORE_FENCE;
      effectsBeforeTrap = Math.min(effectsBeforeTrap, 0);
    }
  }

  /// Few more often than many.
  private static int writes(long choice) {
    return (int) (choice % MOST_WRITES * (choice / MOST_WRITES % MOST_WRITES) / MOST_WRITES);
  }

  private void linkFor(Link worse, long nanos) {
    link = worse;
    timeline.in(nanos, () -> link = Link.UP);
  }

  private void delayFor(Fault fault) {
    slow = true;
    delay = Math.min(fault.lasts(), LONGEST_DELAY);
    timeline.in(fault.lasts(), () -> delay = 0);
  }

  private void set(int effects, Trap newTrap) {
    effectsBeforeTrap = effects;
    latest = Edge.ELSEWHERE;
    trap = newTrap;
  }

  /// Called right before and right after each effect of a loop that started in `born`.
  void boundary(long born, Edge edge) {
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
  boolean isAsleep() {
    return sleepers > 0;
  }

  private void check(long born) {
    if (born != life || timeline.hasEnded()) {
      throw new Crashed();
    }
  }

  private void spring() {
    switch (trap) {
      case Dies _ -> crash();
      case StandsStill(long nanos) -> stand(nanos);
      case Sleeps(long nanos) -> {
        stand(nanos);
        clock.stopFor(nanos);
      }
    }
  }

  private void stand(long nanos) {
    note(() -> "stands still for %.1fs".formatted(nanos / (double) Timeline.SECOND));
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
  boolean wasStruck() {
    return struck;
  }

  /// Whether its effects ever took seconds.
  boolean wasSlow() {
    return slow;
  }

  HostClock clock() {
    return clock;
  }

  /// All is well again, except that a process that is down stays down.
  void heal() {
    hiccups = 0;
    link = Link.UP;
    delay = 0;
    staleUntil = 0;
    effectsBeforeTrap = -1;
    pausedUntil = Math.min(pausedUntil, timeline.now());
    clock.heal();
  }
}
