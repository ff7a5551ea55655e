package keyfleet.sim.host;

import keyfleet.store.StoreException;

/// What becomes of one loop's calls to a store, as its host's link goes. Before and after each the
/// process may fall asleep or die.
public final class StoreCalls {
  /// Not a supplier: a write is made for its effect.
  public interface Call<T> {
    T make();
  }

  private static final long LATEST = 150 * VirtualTimeScheduler.SECOND;

  private final HostLoop loop;

  public StoreCalls(HostLoop loop) {
    this.loop = loop;
  }

  boolean showsThePast() {
    return loop.host().readsAreStale() && loop.host().dice().oneIn(2);
  }

  <T> T read(Call<T> call) {
    loop.host().timeline().message();
    loop.boundary();
    if (loop.host().link() == StoreLink.CUT) {
      throw new StoreException("no way to the store");
    }
    T answer = call.make();
    loop.boundary();
    if (loop.host().link() == StoreLink.ONE_WAY) {
      throw new StoreException("no answer from the store");
    }
    return answer;
  }

  <T> T write(Call<T> call, T unknown) {
    return write(call, unknown, SimulatedHost.Boundary.BEFORE_WRITE);
  }

  <T> T write(Call<T> call, T unknown, SimulatedHost.Boundary edge) {
    loop.host().timeline().message();
    loop.before(edge);
    T answer =
        switch (loop.host().link()) {
          case UP -> call.make();
          case CUT -> refused(unknown);
          case ONE_WAY -> {
            call.make();
            yield unknown;
          }
          case UNSURE -> unsure(call, unknown);
        };
    loop.boundary();
    return answer;
  }

  /// As [#write], but no message is ever held up or doubled: for whoever writes without comparing.
  public <T> T writeOnce(Call<T> call, T unknown) {
    loop.host().timeline().message();
    loop.beforeWrite();
    boolean arrives =
        loop.host().link() != StoreLink.CUT && !(isUnsure() && loop.host().dice().oneIn(4));
    T answer = arrives ? call.make() : unknown;
    loop.boundary();
    boolean heard =
        loop.host().link() == StoreLink.UP || (isUnsure() && !loop.host().dice().oneIn(4));
    return heard ? answer : unknown;
  }

  private boolean isUnsure() {
    return loop.host().link() == StoreLink.UNSURE;
  }

  private <T> T refused(T unknown) {
    if (loop.host().dice().oneIn(2)) {
      throw new StoreException("no way to the store");
    }
    return unknown;
  }

  private <T> T unsure(Call<T> call, T unknown) {
    return switch (loop.host().dice().below(8)) {
      case 0 -> unknown;
      case 1 -> {
        call.make();
        yield unknown;
      }
      case 2 -> {
        later(call);
        yield unknown;
      }
      case 3 -> {
        later(call);
        yield call.make();
      }
      default -> call.make();
    };
  }

  /// A message that was held up somewhere arrives when nobody waits for it any more.
  private void later(Call<?> call) {
    SimulatedHost host = loop.host();
    long most = LATEST >> host.dice().below(8);
    host.timeline()
        .in(
            host.dice().between(1, most),
            () -> {
              host.note(() -> "a late message arrives");
              Object answer = call.make();
              host.note(() -> "  it comes to " + answer);
            });
  }
}
