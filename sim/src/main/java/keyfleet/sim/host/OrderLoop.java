package keyfleet.sim.host;

import java.util.function.Supplier;
import keyfleet.store.MalformedValueException;
import keyfleet.store.StoreException;

/// Gives the orders of an operator, and notes the answers in the trace.
public final class OrderLoop {
  private static final int MAX_NOTED = 160;

  private final HostLoop loop;

  public OrderLoop(HostLoop loop) {
    this.loop = loop;
  }

  public void orderEvery(long period, Supplier<Object> order) {
    loop.runEvery(period, () -> giveOrder(order));
  }

  public void orderOnce(Supplier<Object> order) {
    loop.run(() -> giveOrder(order));
  }

  private void giveOrder(Supplier<Object> order) {
    try {
      Object answer = order.get();
      loop.host().note(() -> "gets the answer " + abbreviate(answer));
    } catch (StoreException e) {
      loop.host().note(() -> "cannot reach the store");
    } catch (MalformedValueException e) {
      loop.host().note(() -> "cannot continue: " + e.getMessage());
    }
  }

  private static String abbreviate(Object answer) {
    String text = answer.toString();
    return text.length() > MAX_NOTED ? text.substring(0, MAX_NOTED) + "…" : text;
  }
}
