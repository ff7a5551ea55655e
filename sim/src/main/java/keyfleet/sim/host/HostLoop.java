package keyfleet.sim.host;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/// One thread of a process: it ticks on a period, unless it is still busy with its last tick, or
/// the process stands still or is down. It dies with the life of the process in which it began.
public final class HostLoop {
  private final SimulatedHost host;
  private final long born;
  private boolean busy;

  public HostLoop(SimulatedHost host) {
    this.host = host;
    this.born = host.life();
  }

  public SimulatedHost host() {
    return host;
  }

  /// Ticks from now on, each time after `period` or up to a tenth more.
  public void every(long period, Runnable tick) {
    host.timeline().in(host.dice().between(0, period / 10), () -> tick(period, tick));
  }

  private void tick(long period, Runnable tick) {
    run(tick);
    if (isAlive()) {
      host.timeline().in(period + host.dice().between(0, period / 10), () -> tick(period, tick));
    }
  }

  /// Ticks from now on; each tick says how long to wait for the next. One that could not be run is
  /// tried again a second later.
  public void paced(LongSupplier tick) {
    host.timeline().in(host.dice().between(0, VirtualTimeScheduler.SECOND), () -> pace(tick));
  }

  private void pace(LongSupplier tick) {
    AtomicLong wait = new AtomicLong(VirtualTimeScheduler.SECOND);
    run(() -> wait.set(tick.getAsLong()));
    if (isAlive()) {
      host.timeline().in(wait.get() + host.dice().between(0, wait.get() / 10), () -> pace(tick));
    }
  }

  /// Runs `work` now, unless it cannot be run.
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
    return host.isUp() && born == host.life();
  }

  public void boundary() {
    host.boundary(born, SimulatedHost.Boundary.ELSEWHERE);
  }

  public void beforeWrite() {
    before(SimulatedHost.Boundary.BEFORE_WRITE);
  }

  void before(SimulatedHost.Boundary edge) {
    host.boundary(born, edge);
  }
}
