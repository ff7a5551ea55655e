package keyfleet.sim.host;

import java.util.function.Supplier;

/// A process on its machine, with its clock and its link to the stores. It runs loops, each like a
/// thread; a pause stops all of them, a crash ends all of them.
public final class SimulatedHost {
  /// Where a loop is when it may sleep or crash.
  enum Boundary {
    /// As BEFORE_WRITE, and the write fences a collection. Such writes are rare, and each may
    /// arrive when another rotation has already moved on.
    BEFORE_FENCE,
    /// The loop has read and decided, and is about to write: after a sleep it acts on old data.
    BEFORE_WRITE,
    ELSEWHERE
  }

  /// A fault that hits the process at one of its next effects.
  private sealed interface PendingFault {}

  private record Crash() implements PendingFault {}

  private record Pause(long nanos) implements PendingFault {}

  /// The machine is suspended, and its elapsed clock stops.
  private record Suspend(long nanos) implements PendingFault {}

  /// The most effects that pass before a fault hits, so it hits in one of the next ticks.
  private static final int MAX_EFFECTS_UNTIL_FAULT = 24;

  /// The most writes that pass before a fault that hits before a write.
  private static final int MAX_WRITES_UNTIL_FAULT = 16;

  /// In a process that raises fences, one fault in this many hits before the next fence.
  private static final int FENCE_FAULT_ODDS = 4;

  private static final long SLOW_START_DURATION = 15 * VirtualTimeScheduler.SECOND;
  private static final long MAX_DELAY = 5 * VirtualTimeScheduler.SECOND;

  private final String name;
  private final VirtualTimeScheduler scheduler;
  private final SeededRandom random;
  private final EventTrace trace;
  private final HostClock clock;

  private int delayOdds;
  private StoreLink link = StoreLink.UP;
  private boolean up;
  private long generation;
  private long pausedUntil;
  private PendingFault pendingFault = new Pause(0);
  private int effectsUntilFault = -1;

  /// The pending fault counts only boundaries up to this one, in the order of the enum.
  private Boundary lastCountedBoundary = Boundary.ELSEWHERE;

  private boolean raisesFences;
  private long delay;
  private long staleUntil;
  private boolean hadFault;
  private boolean everSlow;
  private int sleepingLoops;

  /// One effect in `delayOdds` takes seconds; none if it is 0.
  public SimulatedHost(
      String name,
      VirtualTimeScheduler scheduler,
      SeededRandom random,
      EventTrace trace,
      int delayOdds) {
    this.name = name;
    this.scheduler = scheduler;
    this.random = random.forPurpose(name);
    this.trace = trace;
    this.clock = new HostClock(scheduler);
    this.delayOdds = delayOdds;
    this.everSlow = delayOdds > 0;
  }

  public String name() {
    return name;
  }

  public VirtualTimeScheduler scheduler() {
    return scheduler;
  }

  public SeededRandom random() {
    return random;
  }

  public StoreLink link() {
    return link;
  }

  public void setLink(StoreLink newLink) {
    link = newLink;
  }

  public boolean isUp() {
    return up;
  }

  /// Counts the starts and ends of the process. A loop of an earlier generation is dead.
  public long generation() {
    return generation;
  }

  public boolean isPaused() {
    return scheduler.now() < pausedUntil;
  }

  public void note(Supplier<String> what) {
    trace.note(scheduler.now(), name, what);
  }

  /// The process ends and stays down until [#start].
  public void crash() {
    note(() -> "crashes");
    up = false;
    generation++;
    effectsUntilFault = -1;
  }

  public void start() {
    note(() -> "starts");
    up = true;
    generation++;
    pausedUntil = 0;
  }

  /// One process in four is slow until it has warmed up.
  public void maybeStartSlowly() {
    if (random.drawOneIn(4)) {
      delay = SLOW_START_DURATION;
      scheduler.schedule(SLOW_START_DURATION, () -> delay = 0);
    }
  }

  /// From now on faults may hit the process right before it raises a fence.
  public void setRaisesFences() {
    raisesFences = true;
  }

  /// Crashes after `effects` more effects.
  public void crashAfter(int effects) {
    setPendingFault(effects, new Crash());
  }

  /// Pauses for `nanos` after `effects` more effects.
  public void pauseAfter(int effects, long nanos) {
    setPendingFault(effects, new Pause(nanos));
  }

  /// Applies the part of a fault that is the same for every process.
  public void inject(Fault fault) {
    hadFault = true;
    int effects = (int) (fault.choice() % MAX_EFFECTS_UNTIL_FAULT);
    switch (fault.kind()) {
      case CRASH, KEY_LOST, LOST_SUFFIX -> crashAfter(effects);
      case PAUSE -> pauseAfter(effects, fault.duration());
      case SUSPEND -> setPendingFault(effects, new Suspend(fault.duration()));
      case CUT -> setLinkFor(StoreLink.CUT, fault.duration());
      case ONE_WAY -> setLinkFor(StoreLink.ONE_WAY, fault.duration());
      case UNSURE -> setLinkFor(StoreLink.UNSURE, fault.duration());
      case DELAY -> delayFor(fault);
      case STALE_READ -> readStaleFor(fault.duration());
      case DRIFT -> clock.setRate(0.9 + fault.choice() % 21 / 100.0);
      case SKEW -> clock.setSkew((fault.choice() % 601 - 300) * VirtualTimeScheduler.SECOND);
      case LATE_TTL, PROVIDER, OPERATOR, OLD_BINARY -> {} // the world or the fleet applies them
    }
    if (fault.choice() % 3 > 0) {
      lastCountedBoundary = Boundary.BEFORE_WRITE;
      effectsUntilFault = Math.min(effectsUntilFault, skewedWriteCount(fault.choice()));
    }
    if (raisesFences && fault.choice() / FENCE_FAULT_ODDS % FENCE_FAULT_ODDS == 0) {
      lastCountedBoundary = Boundary.BEFORE_FENCE;
      effectsUntilFault = Math.min(effectsUntilFault, 0);
    }
  }

  /// Small counts are more likely than large ones.
  private static int skewedWriteCount(long choice) {
    return (int)
        (choice
            % MAX_WRITES_UNTIL_FAULT
            * (choice / MAX_WRITES_UNTIL_FAULT % MAX_WRITES_UNTIL_FAULT)
            / MAX_WRITES_UNTIL_FAULT);
  }

  private void setLinkFor(StoreLink newLink, long nanos) {
    link = newLink;
    scheduler.schedule(nanos, () -> link = StoreLink.UP);
  }

  private void delayFor(Fault fault) {
    everSlow = true;
    delay = Math.min(fault.duration(), MAX_DELAY);
    scheduler.schedule(fault.duration(), () -> delay = 0);
  }

  private void setPendingFault(int effects, PendingFault fault) {
    effectsUntilFault = effects;
    lastCountedBoundary = Boundary.ELSEWHERE;
    pendingFault = fault;
  }

  /// A loop of `callerGeneration` calls this right before and right after each of its effects.
  void reachBoundary(long callerGeneration, Boundary boundary) {
    requireAlive(callerGeneration);
    boolean counts = boundary.compareTo(lastCountedBoundary) <= 0;
    if (effectsUntilFault >= 0 && counts && effectsUntilFault-- == 0) {
      triggerPendingFault();
    }
    if (delay > 0) {
      sleepUntil(scheduler.now() + random.between(0, delay));
    } else if (delayOdds > 0 && random.drawOneIn(delayOdds)) {
      sleepUntil(scheduler.now() + random.between(0, MAX_DELAY));
    }
    while (isPaused() && !scheduler.hasEnded()) {
      sleepUntil(pausedUntil);
    }
    requireAlive(callerGeneration);
  }

  private void sleepUntil(long time) {
    sleepingLoops++;
    scheduler.runUntil(time);
    sleepingLoops--;
  }

  /// Whether some loop sleeps in the middle of its work. It may have to wait for loops that began
  /// to sleep after it.
  public boolean isAsleep() {
    return sleepingLoops > 0;
  }

  private void requireAlive(long callerGeneration) {
    if (callerGeneration != generation || scheduler.hasEnded()) {
      throw new ProcessCrash();
    }
  }

  private void triggerPendingFault() {
    switch (pendingFault) {
      case Crash _ -> crash();
      case Pause(long nanos) -> pauseFor(nanos);
      case Suspend(long nanos) -> {
        pauseFor(nanos);
        clock.stopFor(nanos);
      }
    }
  }

  private void pauseFor(long nanos) {
    note(() -> "pauses for %.1fs".formatted(nanos / (double) VirtualTimeScheduler.SECOND));
    pausedUntil = scheduler.now() + nanos;
  }

  /// Whether reads that may be stale are stale now.
  boolean hasStaleReads() {
    return scheduler.now() < staleUntil;
  }

  void readStaleFor(long nanos) {
    staleUntil = scheduler.now() + nanos;
  }

  /// Whether any fault ever hit this process.
  public boolean hasHadFault() {
    return hadFault;
  }

  /// Whether its effects ever took seconds each.
  public boolean hasBeenSlow() {
    return everSlow;
  }

  public HostClock clock() {
    return clock;
  }

  /// Ends all faults. A process that is down stays down.
  public void heal() {
    delayOdds = 0;
    link = StoreLink.UP;
    delay = 0;
    staleUntil = 0;
    effectsUntilFault = -1;
    pausedUntil = Math.min(pausedUntil, scheduler.now());
    clock.heal();
  }
}
