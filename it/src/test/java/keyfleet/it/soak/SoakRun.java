package keyfleet.it.soak;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import keyfleet.it.soak.AllowedRefusals.Scope;
import keyfleet.it.soak.FaultyTransit.Behavior;
import keyfleet.it.soak.KeptCiphertexts.KeptCiphertext;

/// Carries out a [SoakPlan] on a plugin under load. Any [SoakFailure] ends it.
final class SoakRun {
  /// What came of it.
  ///
  /// @param loaded for how long callers called, and `calls` how often
  /// @param opened how often a kept ciphertext was opened for its own sake
  record Outcome(
      Duration loaded,
      long calls,
      int kills,
      int faults,
      int rotations,
      long opened,
      MemoryTrend memory) {}

  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /// For a process to be of use again, on a full machine.
  private static final Duration RETURN = Duration.ofSeconds(60);

  private static final int SAMPLE = 2_000;

  private final SoakFleet stand;
  private final FaultyTransit transit;
  private final PluginChecker jury;
  private final PluginLoad load;
  private final MemorySampler memory;
  private final Random random;

  private int kills;
  private int faults;
  private int rotations;
  private long opened;

  SoakRun(SoakFleet stand, FaultyTransit transit, PluginChecker jury, PluginLoad load, long seed) {
    this.stand = stand;
    this.transit = transit;
    this.jury = jury;
    this.load = load;
    this.memory = new MemorySampler(stand::resident);
    this.random = new Random(seed);
  }

  Outcome run(SoakPlan plan) {
    try (memory) {
      jury.begin(SoakFault.KILL, Scope.EVERYTHING);
      stand.startPlugin();
      memory.watchNext();
      awaitReturn();
      long start = System.nanoTime();
      load.start(random.nextLong());
      for (SoakPlan.Step step : plan.steps()) {
        pauseUntil(start + step.at().toNanos());
        System.out.printf(
            "soak: %4d s %s%n",
            TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start), step.trouble());
        suffer(step);
      }
      pauseUntil(start + plan.length().toNanos());
      load.stop();
      jury.check();
      Duration loaded = Duration.ofNanos(System.nanoTime() - start);
      long calls = jury.calls();
      MemoryTrend last = memory.watchNext();
      last.check();
      openAllTwice();
      return new Outcome(loaded, calls, kills, faults, rotations, opened, last);
    }
  }

  /// In the process that has lived through it, and in one that has not.
  private void openAllTwice() {
    List<KeptCiphertext> all = jury.keepsakes().all();
    open(all);
    jury.begin(SoakFault.KILL, Scope.EVERYTHING);
    stand.stopPlugin();
    var _ = jury.buryProcess();
    stand.startPlugin();
    awaitReturn();
    settle();
    open(all);
  }

  private void open(List<KeptCiphertext> some) {
    load.open(some);
    opened += some.size();
  }

  private void suffer(SoakPlan.Step step) {
    faults++;
    switch (step.trouble()) {
      case REMOTE_BUSY -> loseRemote(step, Behavior.BUSY);
      case REMOTE_DOWN -> loseRemote(step, Behavior.DOWN);
      case REMOTE_SLOW -> loseRemote(step, Behavior.SLOW);
      case REMOTE_CUT -> loseRemote(step, Behavior.CUT);
      case STORE_LOCKED -> lockStore(step);
      case KILL -> check(killAndStart(step, stand::startPlugin));
      case KILL_WITHOUT_REMOTE -> killWithoutRemote(step);
      case KILL_BEFORE_REMOTE_DOWN -> {
        List<KeptCiphertext> last = killAndStart(step, stand::startPlugin);
        loseRemote(step, Behavior.DOWN);
        check(last);
      }
      case KILL_WITHOUT_STORE -> {
        check(killAndStart(step, stand::startPluginWithoutStore));
        pause(step.lasts());
        check(killAndStart(step, stand::startPlugin));
      }
      case ROTATION -> rotate(step);
    }
  }

  /// What this process knows, it goes on with.
  private void loseRemote(SoakPlan.Step step, Behavior mood) {
    jury.begin(step.trouble(), Scope.UNMET_LOCAL_KEKS);
    transit.be(mood);
    pause(step.lasts());
    transit.be(Behavior.WELL);
    jury.endTrouble();
  }

  /// Nobody who calls the plugin may notice.
  private void lockStore(SoakPlan.Step step) {
    jury.begin(step.trouble(), Scope.NOTHING);
    try (Connection _ = stand.lockStore()) {
      pause(step.lasts());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    jury.endTrouble();
  }

  /// Returns what the dead process gave out last.
  private List<KeptCiphertext> killAndStart(SoakPlan.Step step, Runnable start) {
    List<KeptCiphertext> last = kill(step);
    start.run();
    awaitReturn();
    return last;
  }

  private void killWithoutRemote(SoakPlan.Step step) {
    transit.be(Behavior.DOWN);
    List<KeptCiphertext> last = kill(step);
    stand.startPlugin();
    pause(step.lasts());
    transit.be(Behavior.WELL);
    awaitReturn();
    check(last);
  }

  private List<KeptCiphertext> kill(SoakPlan.Step step) {
    kills++;
    jury.begin(step.trouble(), Scope.EVERYTHING);
    stand.killPlugin();
    memory.watchNext().check();
    return jury.buryProcess();
  }

  private void awaitReturn() {
    await("the plugin is healthy again", load::isHealthy);
    jury.endTrouble();
  }

  /// The last before the kill, and some of all.
  private void check(List<KeptCiphertext> last) {
    settle();
    List<KeptCiphertext> some = new ArrayList<>(jury.keepsakes().all());
    Collections.shuffle(some, random);
    List<KeptCiphertext> both = new ArrayList<>(last);
    both.addAll(some.subList(0, Math.min(SAMPLE, some.size())));
    open(both);
  }

  /// Until nothing is excused any more.
  private void settle() {
    pause(AllowedRefusals.GRACE.plusMillis(100));
  }

  private void rotate(SoakPlan.Step step) {
    rotations++;
    transit.rotate();
    stand.order("kek", "announce", "--version=2");
    stand.order("kek", "verify", "--target=2", "--wait", "--timeout=90s");
    jury.expectAnotherKeyId();
    stand.order("kek", "rotate", "--from-version=1", "--to-version=2");
    pause(Duration.ofMillis(random.nextInt(3_000)));
    List<KeptCiphertext> last = killAndStart(step, stand::startPlugin);
    await("the plugin announces the new key", () -> load.isHealthy() && jury.keyIds() == 2);
    check(last);
    await(
        "the rotation is proving, which it stays in as nobody can count what is in etcd",
        () -> stand.phase().equals("proving"));
  }

  private void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + RETURN.toNanos();
    while (!condition.getAsBoolean()) {
      jury.check();
      if (System.nanoTime() > end) {
        throw new SoakFailure(
            "in %d s it did not come to this: %s".formatted(RETURN.toSeconds(), what));
      }
      LockSupport.parkNanos(STEP_NANOS);
    }
  }

  private void pause(Duration length) {
    pauseUntil(System.nanoTime() + length.toNanos());
  }

  private void pauseUntil(long end) {
    while (System.nanoTime() - end < 0) {
      jury.check();
      LockSupport.parkNanos(STEP_NANOS);
    }
    jury.check();
  }
}
