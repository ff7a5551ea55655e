package keyfleet.sim.host;

import keyfleet.store.StoreException;

/// Executes one loop's calls to a store through its host's link, which may lose, delay or repeat
/// them. Before and after each call the process may sleep or crash.
public final class StoreCalls {
  /// A call to the store. Not a supplier: a write is executed for its effect.
  public interface Call<T> {
    T execute();
  }

  private static final long MAX_LATENESS = 150 * VirtualTimeScheduler.SECOND;

  private final HostLoop loop;

  public StoreCalls(HostLoop loop) {
    this.loop = loop;
  }

  boolean shouldReadStale() {
    return loop.host().hasStaleReads() && loop.host().random().drawOneIn(2);
  }

  <T> T read(Call<T> call) {
    loop.host().scheduler().countMessage();
    loop.reachBoundary();
    if (loop.host().link() == StoreLink.CUT) {
      throw new StoreException("the store is unreachable");
    }
    T answer = call.execute();
    loop.reachBoundary();
    if (loop.host().link() == StoreLink.ONE_WAY) {
      throw new StoreException("the store does not answer");
    }
    return answer;
  }

  <T> T write(Call<T> call, T unknown) {
    return write(call, unknown, SimulatedHost.Boundary.BEFORE_WRITE);
  }

  <T> T write(Call<T> call, T unknown, SimulatedHost.Boundary boundary) {
    loop.host().scheduler().countMessage();
    loop.reachBoundary(boundary);
    T answer =
        switch (loop.host().link()) {
          case UP -> call.execute();
          case CUT -> failUnsent(unknown);
          case ONE_WAY -> {
            call.execute();
            yield unknown;
          }
          case UNSURE -> writeUnsure(call, unknown);
        };
    loop.reachBoundary();
    return answer;
  }

  /// As [#write], but no message arrives late or twice: for callers that write without comparing.
  public <T> T writeOnce(Call<T> call, T unknown) {
    loop.host().scheduler().countMessage();
    loop.reachWriteBoundary();
    boolean isDelivered =
        loop.host().link() != StoreLink.CUT && !(isUnsure() && loop.host().random().drawOneIn(4));
    T answer = isDelivered ? call.execute() : unknown;
    loop.reachBoundary();
    boolean isAnswered =
        loop.host().link() == StoreLink.UP || (isUnsure() && !loop.host().random().drawOneIn(4));
    return isAnswered ? answer : unknown;
  }

  private boolean isUnsure() {
    return loop.host().link() == StoreLink.UNSURE;
  }

  private <T> T failUnsent(T unknown) {
    if (loop.host().random().drawOneIn(2)) {
      throw new StoreException("the store is unreachable");
    }
    return unknown;
  }

  private <T> T writeUnsure(Call<T> call, T unknown) {
    return switch (loop.host().random().below(8)) {
      case 0 -> unknown;
      case 1 -> {
        call.execute();
        yield unknown;
      }
      case 2 -> {
        executeLater(call);
        yield unknown;
      }
      case 3 -> {
        executeLater(call);
        yield call.execute();
      }
      default -> call.execute();
    };
  }

  /// The message arrives when its sender no longer waits for it.
  private void executeLater(Call<?> call) {
    SimulatedHost host = loop.host();
    long maxDelay = MAX_LATENESS >> host.random().below(8);
    host.scheduler()
        .schedule(
            host.random().between(1, maxDelay),
            () -> {
              host.note(() -> "a late message arrives");
              Object answer = call.execute();
              host.note(() -> "  its result: " + answer);
            });
  }
}
