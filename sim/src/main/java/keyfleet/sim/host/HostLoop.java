package keyfleet.sim.host;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/// One thread of a process. It ticks periodically, unless it is still busy with its last tick, or
/// the process is paused or down. It ends when the process that started it ends.
public final class HostLoop {
  private final SimulatedHost host;
  private final long generation;
  private boolean busy;

  public HostLoop(SimulatedHost host) {
    this.host = host;
    this.generation = host.generation();
  }

  public SimulatedHost host() {
    return host;
  }

  /// Runs `tick` from now on, each time after `period` or up to a tenth more.
  public void runEvery(long period, Runnable tick) {
    host.scheduler().schedule(host.random().between(0, period / 10), () -> runTick(period, tick));
  }

  private void runTick(long period, Runnable tick) {
    run(tick);
    if (isAlive()) {
      host.scheduler()
          .schedule(period + host.random().between(0, period / 10), () -> runTick(period, tick));
    }
  }

  /// Runs `tick` from now on; each tick returns the wait before the next. If a tick cannot run, the
  /// loop tries again a second later.
  public void runPaced(LongSupplier tick) {
    host.scheduler()
        .schedule(host.random().between(0, VirtualTimeScheduler.SECOND), () -> runPacedTick(tick));
  }

  private void runPacedTick(LongSupplier tick) {
    AtomicLong wait = new AtomicLong(VirtualTimeScheduler.SECOND);
    run(() -> wait.set(tick.getAsLong()));
    if (isAlive()) {
      host.scheduler()
          .schedule(
              wait.get() + host.random().between(0, wait.get() / 10), () -> runPacedTick(tick));
    }
  }

  /// Runs `work` now, unless the loop is busy or its process is paused or down.
  public void run(Runnable work) {
    if (busy || !isAlive() || host.isPaused()) {
      return;
    }
    busy = true;
    try {
      work.run();
    } catch (ProcessCrash e) {
      host.note(() -> "ends in the middle of its work");
    } finally {
      busy = false;
    }
  }

  public boolean isAlive() {
    return host.isUp() && generation == host.generation();
  }

  /// Call it right before and right after each effect: here the process may sleep or crash.
  public void reachBoundary() {
    host.reachBoundary(generation, SimulatedHost.Boundary.ELSEWHERE);
  }

  /// As [#reachBoundary], right before a write.
  public void reachWriteBoundary() {
    reachBoundary(SimulatedHost.Boundary.BEFORE_WRITE);
  }

  void reachBoundary(SimulatedHost.Boundary boundary) {
    host.reachBoundary(generation, boundary);
  }
}
