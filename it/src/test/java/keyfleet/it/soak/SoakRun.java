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

/// Executes a [SoakPlan] on a plugin under load. Any [SoakFailure] ends it.
final class SoakRun {
  /// The result of a soak.
  ///
  /// @param loadDuration how long the callers called; `calls` is how often
  /// @param opened how often a kept ciphertext was decrypted for a check
  record Outcome(
      Duration loadDuration,
      long calls,
      int kills,
      int faults,
      int rotations,
      long opened,
      MemoryTrend memory) {}

  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /// The time within which a restarted process must be healthy, on a busy machine.
  private static final Duration MAX_RECOVERY = Duration.ofSeconds(60);

  private static final int SAMPLE = 2_000;

  private final SoakFleet fleet;
  private final FaultyTransit transit;
  private final PluginChecker checker;
  private final PluginLoad load;
  private final MemorySampler memory;
  private final Random random;

  private int kills;
  private int faults;
  private int rotations;
  private long opened;

  SoakRun(
      SoakFleet fleet, FaultyTransit transit, PluginChecker checker, PluginLoad load, long seed) {
    this.fleet = fleet;
    this.transit = transit;
    this.checker = checker;
    this.load = load;
    this.memory = new MemorySampler(fleet::resident);
    this.random = new Random(seed);
  }

  Outcome run(SoakPlan plan) {
    try (memory) {
      checker.beginFault(SoakFault.KILL, Scope.EVERYTHING);
      fleet.startPlugin();
      memory.startNextTrend();
      awaitHealthy();
      long start = System.nanoTime();
      load.start(random.nextLong());
      for (SoakPlan.Step step : plan.steps()) {
        pauseUntil(start + step.at().toNanos());
        System.out.printf(
            "soak: %4d s %s%n",
            TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start), step.fault());
        inject(step);
      }
      pauseUntil(start + plan.length().toNanos());
      load.stop();
      checker.throwIfFailed();
      Duration loaded = Duration.ofNanos(System.nanoTime() - start);
      long calls = checker.calls();
      MemoryTrend last = memory.startNextTrend();
      last.check();
      openAllTwice();
      return new Outcome(loaded, calls, kills, faults, rotations, opened, last);
    }
  }

  /// Decrypts all kept ciphertexts in the running process, and again after a restart.
  private void openAllTwice() {
    List<KeptCiphertext> all = checker.keptCiphertexts().all();
    open(all);
    checker.beginFault(SoakFault.KILL, Scope.EVERYTHING);
    fleet.stopPlugin();
    var _ = checker.onProcessKilled();
    fleet.startPlugin();
    awaitHealthy();
    awaitEndOfGrace();
    open(all);
  }

  private void open(List<KeptCiphertext> some) {
    load.decryptAll(some);
    opened += some.size();
  }

  private void inject(SoakPlan.Step step) {
    faults++;
    switch (step.fault()) {
      case REMOTE_BUSY -> failRemote(step, Behavior.BUSY);
      case REMOTE_DOWN -> failRemote(step, Behavior.DOWN);
      case REMOTE_SLOW -> failRemote(step, Behavior.SLOW);
      case REMOTE_CUT -> failRemote(step, Behavior.CUT);
      case STORE_LOCKED -> lockStore(step);
      case KILL -> checkCiphertexts(killAndStart(step, fleet::startPlugin));
      case KILL_WITHOUT_REMOTE -> killWithoutRemote(step);
      case KILL_BEFORE_REMOTE_DOWN -> {
        List<KeptCiphertext> last = killAndStart(step, fleet::startPlugin);
        failRemote(step, Behavior.DOWN);
        checkCiphertexts(last);
      }
      case KILL_WITHOUT_STORE -> {
        checkCiphertexts(killAndStart(step, fleet::startPluginWithoutStore));
        pause(step.duration());
        checkCiphertexts(killAndStart(step, fleet::startPlugin));
      }
      case ROTATION -> rotate(step);
    }
  }

  /// The process continues to use the local KEKs that it knows.
  private void failRemote(SoakPlan.Step step, Behavior behavior) {
    checker.beginFault(step.fault(), Scope.UNKNOWN_LOCAL_KEKS);
    transit.setBehavior(behavior);
    pause(step.duration());
    transit.setBehavior(Behavior.NORMAL);
    checker.endFault();
  }

  /// Callers of the plugin must not notice.
  private void lockStore(SoakPlan.Step step) {
    checker.beginFault(step.fault(), Scope.NOTHING);
    try (Connection _ = fleet.lockStore()) {
      pause(step.duration());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    checker.endFault();
  }

  /// Returns the last ciphertexts of the killed process.
  private List<KeptCiphertext> killAndStart(SoakPlan.Step step, Runnable start) {
    List<KeptCiphertext> last = kill(step);
    start.run();
    awaitHealthy();
    return last;
  }

  private void killWithoutRemote(SoakPlan.Step step) {
    transit.setBehavior(Behavior.DOWN);
    List<KeptCiphertext> last = kill(step);
    fleet.startPlugin();
    pause(step.duration());
    transit.setBehavior(Behavior.NORMAL);
    awaitHealthy();
    checkCiphertexts(last);
  }

  private List<KeptCiphertext> kill(SoakPlan.Step step) {
    kills++;
    checker.beginFault(step.fault(), Scope.EVERYTHING);
    fleet.killPlugin();
    memory.startNextTrend().check();
    return checker.onProcessKilled();
  }

  private void awaitHealthy() {
    await("the plugin is healthy again", load::isHealthy);
    checker.endFault();
  }

  /// Decrypts the last ciphertexts before the kill, and a sample of all.
  private void checkCiphertexts(List<KeptCiphertext> last) {
    awaitEndOfGrace();
    List<KeptCiphertext> some = new ArrayList<>(checker.keptCiphertexts().all());
    Collections.shuffle(some, random);
    List<KeptCiphertext> both = new ArrayList<>(last);
    both.addAll(some.subList(0, Math.min(SAMPLE, some.size())));
    open(both);
  }

  /// Waits until no refusal is allowed any more.
  private void awaitEndOfGrace() {
    pause(AllowedRefusals.GRACE.plusMillis(100));
  }

  private void rotate(SoakPlan.Step step) {
    rotations++;
    transit.rotate();
    fleet.runCommand("kek", "announce", "--version=2");
    fleet.runCommand("kek", "verify", "--target=2", "--wait", "--timeout=90s");
    checker.allowAnotherKeyId();
    fleet.runCommand("kek", "rotate", "--from-version=1", "--to-version=2");
    pause(Duration.ofMillis(random.nextInt(3_000)));
    List<KeptCiphertext> last = killAndStart(step, fleet::startPlugin);
    await("the plugin announces the new key", () -> load.isHealthy() && checker.keyIdCount() == 2);
    checkCiphertexts(last);
    await(
        "the rotation is in phase proving, where it stays because no process counts the objects in"
            + " etcd",
        () -> fleet.phase().equals("proving"));
  }

  private void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + MAX_RECOVERY.toNanos();
    while (!condition.getAsBoolean()) {
      checker.throwIfFailed();
      if (System.nanoTime() > end) {
        throw new SoakFailure(
            "after %d s this is still not true: %s".formatted(MAX_RECOVERY.toSeconds(), what));
      }
      LockSupport.parkNanos(STEP_NANOS);
    }
  }

  private void pause(Duration length) {
    pauseUntil(System.nanoTime() + length.toNanos());
  }

  private void pauseUntil(long end) {
    while (System.nanoTime() - end < 0) {
      checker.throwIfFailed();
      LockSupport.parkNanos(STEP_NANOS);
    }
    checker.throwIfFailed();
  }
}
